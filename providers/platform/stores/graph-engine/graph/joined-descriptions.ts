import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { countTokens } from '../../../../../contract/evidence/count-tokens.ts'
import { mapBounded } from '../../../rag/bounded.ts'
import type { ModelHost } from '../../../models/model-host.ts'
import { withoutThinking } from '../../../../../core/thinking.ts'
import { renderSummaryTask } from '../../../models/prompts/summary-task.ts'
import { createPauses } from '../sliced-work.ts'
import { partsOf } from './merged-graph.ts'
import type { MergedGraph, Parts } from './merged-graph.ts'
import type { Statement } from './merged-parts.ts'

/** A part with so many descriptions, or so many tokens of them, has them joined by the model: LightRAG's thresholds. */
const LEAST_DESCRIPTIONS = 8
const LEAST_TOKENS = 1200
const MOST_TOKENS = 600
const CALLS_AT_ONCE = 2

/** Joined descriptions by a key of what they were made from and by. */
export interface DescriptionStore {
  get(key: string): string | null
  put(key: string, text: string): void
  /** Removes all others. */
  keepOnly(keys: ReadonlySet<string>): void
}

/** The table of joined descriptions in an open engine file. */
export function createDescriptionStore(database: Database): DescriptionStore {
  database.exec('CREATE TABLE IF NOT EXISTS descriptions (key TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT')
  const get = database.prepare<[string], string>('SELECT text FROM descriptions WHERE key = ?').pluck()
  const put = database.prepare('INSERT OR REPLACE INTO descriptions (key, text) VALUES (?, ?)')
  const keep = database.prepare('DELETE FROM descriptions WHERE key NOT IN (SELECT value FROM json_each(?))')
  return {
    get: (key) => get.get(key) ?? null,
    put: (key, text) => void put.run(key, text),
    keepOnly: (keys) => void keep.run(JSON.stringify([...keys])),
  }
}

interface Joining {
  store: DescriptionStore
  models: ModelHost
  signal: AbortSignal
  /** Called for a description that the model did not write: the part keeps its sentences, and the next graph tries again. */
  onError: (error: unknown, where: string) => void
}

/**
 * The graph with the descriptions of its most described parts joined by the model that extracts, as LightRAG joins them. Each is asked for once and kept.
 * Rules join nothing.
 */
export async function withJoinedDescriptions(merged: MergedGraph, joining: Joining): Promise<MergedGraph> {
  if (joining.models.isBuiltin('graph_extract')) return merged
  const keys = new Set<string>()
  const entities = await joined(merged.entities, ({ name }) => name, joining, keys)
  const relations = await joined(merged.relations, ({ source, target }) => `${source} – ${target}`, joining, keys)
  joining.store.keepOnly(keys)
  return { ...merged, entities, relations }
}

async function joined<Part extends { statements: Statement[] }>(
  parts: Parts<Part>,
  nameOf: (part: Part) => string,
  joining: Joining,
  keys: Set<string>,
): Promise<Parts<Part>> {
  const wanted: number[] = []
  const pause = createPauses(joining.signal)
  for (let at = 0; at < parts.length; at += 1) {
    await pause()
    if (isLong(parts.at(at))) wanted.push(at)
  }
  const texts = new Map<number, string>()
  await mapBounded(wanted, CALLS_AT_ONCE, async (at) => {
    const part = parts.at(at)
    const text = await description(nameOf(part), part.statements, joining, keys)
    if (text !== null) texts.set(at, text)
  })
  if (texts.size === 0) return parts
  return partsOf(parts.length, (at) => {
    const part = parts.at(at)
    const text = texts.get(at)
    return text === undefined ? part : { ...part, statements: [{ text, chunkId: part.statements[0]!.chunkId }] }
  })
}

const isLong = ({ statements }: { statements: readonly Statement[] }): boolean =>
  statements.length >= LEAST_DESCRIPTIONS ||
  (statements.length > 1 && statements.reduce((sum, { text }) => sum + countTokens(text), 0) >= LEAST_TOKENS)

async function description(
  name: string,
  statements: readonly Statement[],
  { store, models, signal, onError }: Joining,
  keys: Set<string>,
): Promise<string | null> {
  signal.throwIfAborted()
  const messages = renderSummaryTask(
    name,
    statements.map(({ text }) => text),
  )
  const key = hash('sha256', JSON.stringify([models.writer('graph_extract'), messages]))
  keys.add(key)
  const known = store.get(key)
  if (known !== null) return known
  try {
    const asked = { messages, temperature: 0, max_tokens: MOST_TOKENS }
    const completion = await models.chat('graph_extract', asked, signal)
    const text = withoutThinking(completion.choices[0]?.message.content ?? '').trim()
    if (text === '' || completion.choices[0]?.finish_reason === 'length') return null
    store.put(key, text)
    return text
  } catch (error) {
    signal.throwIfAborted()
    onError(error, `joining the descriptions of ${name}`)
    return null
  }
}
