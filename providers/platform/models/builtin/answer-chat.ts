import type { ChatMessage } from '../../../../contract/http/chat.ts'
import { parseAgentTask } from '../prompts/agent-task.ts'
import { parseAnswerTask } from '../prompts/answer-task.ts'
import { parseBlurbTask } from '../prompts/blurb-task.ts'
import { parseClassifyTask } from '../prompts/classify-task.ts'
import { parseDraftTask } from '../prompts/draft-task.ts'
import { parseExtractTask } from '../prompts/extract-task.ts'
import { parseKeywordsTask } from '../prompts/keywords-task.ts'
import { nextAgentTurn } from './agent.ts'
import { answerQuestion } from './answering/answer-question.ts'
import { writeBlurb } from './blurb/write-blurb.ts'
import { draftByRules } from './drafting/draft-by-rules.ts'
import { extractGraph } from './extraction/extract-graph.ts'
import { chooseRoute } from './routing/choose-route.ts'
import { splitKeywords } from './routing/split-keywords.ts'

/** Holds what the built-in model answers to a chat that is none of its tasks. */
export const NOT_A_CHAT_MODEL =
  'This is the built-in rule-based baseline, not a language model: it answers only questions that come with <passage> blocks, each with a <title> and a <text>, and one <question> block in the user message.'

/** A task's reader with what carries it out, as text. */
const skill =
  <Task>(parse: (messages: readonly ChatMessage[]) => Task | null, run: (task: Task) => string) =>
  (messages: readonly ChatMessage[]): string | null => {
    const task = parse(messages)
    return task === null ? null : run(task)
  }

const SKILLS = [
  skill(parseAnswerTask, answerQuestion),
  skill(parseBlurbTask, writeBlurb),
  skill(parseClassifyTask, (task) =>
    JSON.stringify(chooseRoute(task) ?? { route: '', reason: 'no routes were given' }),
  ),
  skill(parseKeywordsTask, (task) => JSON.stringify(splitKeywords(task))),
  skill(parseDraftTask, (task) => JSON.stringify(draftByRules(task))),
  skill(parseExtractTask, (task) => JSON.stringify(extractGraph(task))),
] as const

/** Describes what the built-in model replies: a text or, as an agent, the calls that it wants made. */
export interface BuiltinReply {
  text: string
  toolCalls?: readonly { tool: string; arguments: Record<string, unknown> }[]
}

/**
 * The built-in chat model: recognizes a task by its mark and carries it out. The same messages always get the same reply. `tools` are
 * the names of the tools that it may call.
 */
export function answerBuiltinChat(messages: readonly ChatMessage[], tools: readonly string[] = []): BuiltinReply {
  const agentTask = parseAgentTask(messages)
  if (agentTask !== null) {
    const turn = nextAgentTurn(agentTask, tools)
    return 'answer' in turn ? { text: turn.answer } : { text: '', toolCalls: turn.calls }
  }
  for (const run of SKILLS) {
    const text = run(messages)
    if (text !== null) return { text }
  }
  return { text: NOT_A_CHAT_MODEL }
}
