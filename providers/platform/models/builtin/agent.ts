import type { AgentState } from '../prompts/agent-task.ts'
import { composeAnswer } from './agent/compose-answer.ts'
import { linesOf } from './agent/lines.ts'
import { nameKey } from './agent/names.ts'
import { viewQuestion } from './agent/question-view.ts'
import { findWalks } from './agent/walk.ts'
import type { Walk } from './agent/walk.ts'

/** Describes what the agent does next: calls to make, or the answer. */
export type AgentTurn = { calls: { tool: string; arguments: Record<string, unknown> }[] } | { answer: string }

const SEARCHES_PER_TURN = 2
/** Limits how much worse than the best chain another one may be whose missing link is looked for. */
const WORTH_A_SEARCH = 0.25
/** The last reply but one is the last that may answer by itself: what is called then is answered without tools. */
const REPLIES_TO_ANSWER = 2

/**
 * One turn of the rule-based agent. It asks every tool for the question itself first. From what was found it builds chains of sentences
 * that start at a name of the question; where one leads to a name that was not looked for while words of the question are unmet, it looks for
 * that name with those words. It answers from the best chain when no link is missing or no turn is left. A question without a name starts
 * no chain: what its passages lead on to is a guess, and is not looked for.
 */
export function nextAgentTurn(task: AgentState, tools: readonly string[]): AgentTurn {
  const [search = null] = tools
  if (task.moves.length === 0 && search !== null)
    return { calls: tools.map((tool) => ({ tool, arguments: { query: task.question } })) }
  const passages = task.moves.flatMap(({ observation }) => observation?.passages ?? [])
  const lines = linesOf(passages)
  const view = viewQuestion(task.question, lines)
  const walks = findWalks(view, lines)
  const maySearch = task.left > REPLIES_TO_ANSWER && search !== null && view.names.length > 0
  const queries = maySearch ? missingLinks(walks, task) : []
  if (queries.length > 0) return { calls: queries.map((query) => ({ tool: search!, arguments: { query } })) }
  return { answer: composeAnswer(task.question, walks, passages) }
}

/** Searches for the first name of each good chain that no search has named, with the question's words that are unmet there. */
function missingLinks(walks: readonly Walk[], { question, moves }: AgentState): string[] {
  // The question itself was searched for as a whole: that looked for none of its names in particular.
  const whole = nameKey(question).join(' ')
  const asked = moves
    .map(({ arguments: given }) => ` ${nameKey(given).join(' ')} `)
    .filter((query) => !query.includes(whole))
  const queries = new Map<string, string>()
  for (const { score, bridges } of walks) {
    if (score < walks[0]!.score - WORTH_A_SEARCH || queries.size === SEARCHES_PER_TURN) break
    const link = bridges.find(
      ({ key, unmet }) => unmet.length > 0 && !asked.some((query) => query.includes(` ${key.join(' ')} `)),
    )
    if (link === undefined) continue
    const words = link.unmet.toSorted((a, b) => a.place - b.place).map(({ text }) => text)
    const id = link.key.join(' ')
    if (!queries.has(id)) queries.set(id, [link.name, ...words].join(' '))
  }
  return [...queries.values()]
}
