import type { ChatMessage } from '../../../../contract/http/chat.ts'
import { messageText } from '../../../../contract/http/chat.ts'
import { AGENT_PROMPT } from '../../../../contract/prompts.ts'
import { BlockReader, groupBlock, textBlock } from './blocks.ts'
import { taskData, taskMessages } from './task-messages.ts'
import type { PromptChanges, TaskMessages } from './task-messages.ts'

/** Find out by tool calls, then answer. The reply is a tool call or, as plain text, the answer. */
export interface AgentTask {
  question: string
  /** Replies that the agent may give in all, the answer included. */
  turns: number
}

/** A passage that a tool found; its number stays the same through the whole conversation. */
export interface NumberedPassage {
  number: number
  title: string
  text: string
}

/** Describes what a tool hands back to the agent. */
export interface ToolObservation {
  passages: NumberedPassage[]
  /** Numbers of passages that were found again. */
  repeated: number[]
  /** Statements of a knowledge graph, one a line. */
  facts: string[]
  /** Why there is nothing, or not all. */
  note: string | null
}

/** One tool call of the conversation with what came back; `arguments` as the agent wrote them. */
export interface AgentMove {
  tool: string
  arguments: string
  observation: ToolObservation | null
}

/** An agent's task as the first two messages of its conversation; `changes` are those of a flavor. */
export function renderAgentTask(task: AgentTask, changes?: PromptChanges): TaskMessages {
  const data = [textBlock('question', task.question), textBlock('replies-left', String(task.turns))]
  return taskMessages(AGENT_PROMPT, data, changes)
}

/** Returns what a tool found, as the content of its message. */
export function renderObservation(observation: ToolObservation): string {
  const passages = observation.passages.map(({ number, title, text }) =>
    groupBlock('passage', [textBlock('number', String(number)), textBlock('title', title), textBlock('text', text)]),
  )
  return [
    ...passages,
    ...(observation.repeated.length === 0 ? [] : [textBlock('found-again', observation.repeated.join(', '))]),
    ...(observation.facts.length === 0 ? [] : [textBlock('facts', observation.facts.join('\n'))]),
    ...(observation.note === null ? [] : [textBlock('note', observation.note)]),
  ].join('\n')
}

const readPassage = (reader: BlockReader): NumberedPassage | null => {
  const number = reader.text('number')
  const title = reader.text('title')
  const text = reader.text('text')
  return number === null || title === null || text === null ? null : { number: Number(number), title, text }
}

/** The observation of a tool message; null when it is anything else. */
export function parseObservation(content: string): ToolObservation | null {
  const reader = new BlockReader(content)
  const passages = reader.groups('passage', readPassage)
  if (passages === null) return null
  const repeated = reader.text('found-again')
  const facts = reader.text('facts')
  const note = reader.text('note')
  if (!reader.done()) return null
  return {
    passages,
    repeated: repeated === null ? [] : repeated.split(', ').map(Number),
    facts: facts === null ? [] : facts.split('\n'),
    note,
  }
}

/** A task with what was done about it. `left`: replies that the agent may still give, this one included. */
export interface AgentState extends Omit<AgentTask, 'turns'> {
  moves: AgentMove[]
  left: number
}

/** The task and its moves so far in a conversation; null when it is anything else. */
export function parseAgentTask(messages: readonly ChatMessage[]): AgentState | null {
  const data = taskData(messages.slice(0, 2))
  if (data === null) return null
  const reader = new BlockReader(data)
  const question = reader.text('question')
  const turns = reader.text('replies-left')
  if (question === null || turns === null || !reader.done()) return null
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' && message.tool_call_id !== undefined
        ? [[message.tool_call_id, parseObservation(messageText(message))] as const]
        : [],
    ),
  )
  const moves = messages.flatMap(({ tool_calls: calls = [] }) =>
    calls.map(({ id, function: { name, arguments: given } }) => ({
      tool: name,
      arguments: given,
      observation: results.get(id) ?? null,
    })),
  )
  const replies = messages.filter(({ role }) => role === 'assistant').length
  return { question, moves, left: Number(turns) - replies }
}
