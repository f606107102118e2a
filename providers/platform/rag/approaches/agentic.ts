// This is different from ReAct (arXiv 2210.03629). See docs/methods.md.
import { runAgent } from '../agent/run-agent.ts'
import type { Approach } from '../approach.ts'

/** A model chooses between a search of the chunks and a query to the knowledge graph until it can answer, step by bounded step. */
export const agentic: Approach<'agentic-rag'> = (question, parameters, services, signal) =>
  runAgent(question, parameters, services, signal)
