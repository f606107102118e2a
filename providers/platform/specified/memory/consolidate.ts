import { z } from 'zod'
import type { TaskHandler } from '../../jobs/task-worker.ts'
import type { MemoryIndex } from './memory-index.ts'
import type { MemoryStore } from './memory-store.ts'

export const CONSOLIDATION = 'memory_consolidation'

/** Describes what a consolidation is for; `session_id` null reads all sessions of the user. */
export const ConsolidationTask = z.object({ user_id: z.string(), session_id: z.string().nullable() })
export type ConsolidationTask = z.infer<typeof ConsolidationTask>

/** Two statements with a cosine of this or more mean the same. */
const SAME_MEANING = 0.95
const MAX_FACT_CHARS = 2000
/** Without `mine` and `us`, which have other meanings. */
const FIRST_PERSON = /(?<![\p{L}\p{N}])(?:i|i'm|i’m|i've|i’ve|my|me|we|our)(?![\p{L}\p{N}])/iu
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })

/** Returns what a user states about themselves in a message: its sentences in the first person that are not questions. */
export function statementsOf(message: string): string[] {
  return [...sentences.segment(message)]
    .map(({ segment }) => segment.replaceAll(/\s+/g, ' ').trim())
    .filter(
      (text) =>
        text.length <= MAX_FACT_CHARS &&
        !/\?["'”’)]*$/.test(text) &&
        text.split(' ').length >= 3 &&
        FIRST_PERSON.test(text),
    )
}

/**
 * Takes facts from messages that no consolidation has read. New facts and the marks of the read messages are stored with the end of the job:
 * one that is repeated after a crash adds nothing twice.
 */
export function consolidation({ store, index }: { store: MemoryStore; index: MemoryIndex }): TaskHandler {
  return async ({ task, signal, log }) => {
    const { user_id: user, session_id: sessionId } = ConsolidationTask.parse(task.payload)
    const messages = await store.unreadMessages(user, sessionId)
    log(`${messages.length} messages to read`)
    const found: { text: string; sessionId: string }[] = []
    const known: string[] = []
    for (const message of messages)
      for (const text of statementsOf(message.content)) {
        signal.throwIfAborted()
        const [nearest] = await index.search(user, text, 1, signal)
        if (nearest !== undefined && nearest.score >= SAME_MEANING) known.push(text)
        else found.push({ text, sessionId: message.session_id })
      }
    const counts = { messages: messages.length, added: 0, known: known.length, refused: 0 }
    log(`${found.length + known.length} statements, ${known.length} of them known`)
    return {
      result: counts,
      effects: async (tx) => {
        for (const { text, sessionId: from } of found) {
          const { outcome } = await store.addFactIn(tx, user, text, from)
          counts[outcome === 'full' ? 'refused' : outcome] += 1
        }
        await store.markRead(tx, messages)
      },
    }
  }
}
