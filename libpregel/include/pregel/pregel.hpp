// Everything a vertex program needs: include this, write a struct, hand it to Engine.
#pragma once

#include "core/communicator.hpp"
#include "core/runtime.hpp"
#include "core/thread_team.hpp"
#include "pregel/checkpoint/job_checkpoints.hpp"
#include "pregel/engine/engine.hpp"
#include "pregel/graph/graph_builder.hpp"
#include "pregel/io/generators.hpp"
#include "pregel/io/readers.hpp"
#include "pregel/io/results.hpp"
