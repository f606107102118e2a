import type { Citations, RagSource } from '../../../../contract/evidence/rag-extension.ts'
import { citedNumbers } from '../../../../core/citations.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { parseAgentTask } from '../../models/prompts/agent-task.ts'
import { parseAnswerTask } from '../../models/prompts/answer-task.ts'
import type { CallMeter } from '../call-meter.ts'

/**
 * Returns what an answer cites, checked against the passages that its model was given: a number that none of them has is listed as missing, and the answer
 * stays as it is. Null where no model of this process wrote the answer from numbered passages, and for rules, which cite nothing.
 */
export function citationsOf(
  { answer, sources }: { answer: string; sources: readonly RagSource[] },
  lastChat: ReturnType<CallMeter['lastChat']>,
  models: Pick<ModelHost, 'isBuiltin'>,
): Citations | null {
  if (lastChat === null || models.isBuiltin(lastChat.role)) return null
  const given = givenPassages(lastChat.messages)
  if (given === null) return null
  const numbers = citedNumbers(answer)
  return {
    cited: numbers.flatMap((number) => {
      const passage = given.get(number)
      if (passage === undefined) return []
      const position = sources.findIndex(({ text }) => text?.trim() === passage.text.trim())
      return [{ number, title: passage.title, context: position === -1 ? null : position + 1 }]
    }),
    missing: numbers.filter((number) => !given.has(number)),
  }
}

type GivenPassages = Map<number, { title: string; text: string }>

/** Passages of a conversation by their numbers; null where it is no task with passages. */
function givenPassages(messages: NonNullable<ReturnType<CallMeter['lastChat']>>['messages']): GivenPassages | null {
  const passages = parseAnswerTask(messages)?.passages
  if (passages !== undefined) return new Map(passages.map((passage, at) => [at + 1, passage]))
  const moves = parseAgentTask(messages)?.moves
  if (moves === undefined) return null
  const found = moves.flatMap(({ observation }) => observation?.passages ?? [])
  return new Map(found.map((passage) => [passage.number, passage]))
}
