// One question to an own approach, with everything that a run would get of it, and what a run could not measure.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OwnTrial } from '../../contract/control/own-approaches.ts'
import { tokensOfTexts } from '../../contract/evidence/context-budget.ts'
import { httpPlan, isHttpApproach, reportsContexts, type OwnApproach } from '../../contract/manifests/own-approaches.ts'
import { METRICS } from '../../contract/metrics/metrics.ts'
import { isRecord } from '../json.ts'
import { OwnApproachError, type OwnReply } from './own-reply.ts'
import { openOwnCaller } from './open-caller.ts'
import type { OwnApproachFile } from './read-approaches.ts'

const SAMPLE = {
  id: 'sample.md',
  title: 'Sample',
  text: 'The sample harbour is in Falmouth. Its light was built in 1835.\n\nThe keeper of the light lives in the north tower.',
}
const QUESTION = 'Where is the sample harbour?'
const MOST_SHOWN = 5
const MOST_PATHS = 40
const MOST_DEPTH = 20
const MOST_LOG = 2000

/** The person must have allowed the file, or have written it just now. `asked` null: a question about a sample document. */
export async function tryOwnApproach(
  root: string,
  file: OwnApproachFile,
  asked: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<OwnTrial> {
  const { approach } = file
  const takesDocuments = !isHttpApproach(approach) && approach.ingest
  const question = asked ?? QUESTION
  const logFolder = await mkdtemp(join(tmpdir(), 'own-approach-'))
  const caller = openOwnCaller(file, { root, logFolder, env })
  const started = performance.now()
  const trial = { question, got_sample: takesDocuments }
  const pathsOfReply = () => pathsIn(caller.lastBody?.())
  try {
    const corpus = takesDocuments ? { digest: 'sample', documents: () => Promise.resolve([SAMPLE]) } : null
    const reply = await caller.ask({ question, budget: null, corpus })
    const latency_ms = performance.now() - started
    return { ...trial, ...shown(approach, reply), problem: null, latency_ms, paths: pathsOfReply(), log: '' }
  } catch (error) {
    if (!(error instanceof OwnApproachError)) throw error
    const latency_ms = performance.now() - started
    const log = await readFile(join(logFolder, `${file.name}.log`), 'utf8').catch(() => '')
    return {
      ...trial,
      ...NOTHING,
      problem: error.message,
      latency_ms,
      paths: pathsOfReply(),
      log: log.slice(-MOST_LOG),
    }
  } finally {
    await caller.close()
    await rm(logFolder, { recursive: true, force: true })
  }
}

const NOTHING = { answer: null, passages: null, passage_count: null, text_tokens: null, usage: null, not_evaluable: [] }

const shown = (approach: OwnApproach, reply: OwnReply) => ({
  answer: approach.kind === 'retriever' ? null : reply.answer,
  passages: reply.contexts?.slice(0, MOST_SHOWN) ?? null,
  passage_count: reply.contexts?.length ?? null,
  text_tokens: reply.contexts === null ? null : tokensOfTexts(reply.contexts.map(({ text }) => text)),
  usage: reply.usage,
  not_evaluable: notEvaluable(approach, reply),
})

/** Names what a run cannot measure, in sentences. */
function notEvaluable(approach: OwnApproach, { contexts, usage, answer }: OwnReply): string[] {
  const lines: string[] = []
  const ofContexts = METRICS.filter(({ needs }) => (needs as readonly string[]).includes('contexts')).map(
    ({ label }) => label,
  )
  if (!reportsContexts(approach)) lines.push(`${ofContexts.join(', ')}: it reports no passages`)
  if (contexts !== null && contexts.length > 0 && contexts.every(({ document }) => document === null))
    lines.push('the document of a passage: none is named, so that passages count by their text alone')
  if (isHttpApproach(approach) && httpPlan(approach).reply.contexts?.cited_only === true)
    lines.push(
      'what it retrieved and did not cite: it returns cited passages alone, so that its recall is a lower bound',
    )
  if (usage === null && answer !== null) lines.push('cost: it reports no tokens')
  return lines
}

/** The paths of a reply with their first value, to choose the ones of a mapping from. */
function pathsIn(body: unknown): OwnTrial['paths'] {
  const found = new Map<string, string>()
  const walk = (value: unknown, path: string, depth = 0): void => {
    if (found.size >= MOST_PATHS || depth > MOST_DEPTH) return
    if (Array.isArray(value)) for (const each of value.slice(0, 3)) walk(each, `${path}[]`, depth + 1)
    else if (isRecord(value))
      for (const [name, each] of Object.entries(value)) walk(each, path === '' ? name : `${path}.${name}`, depth + 1)
    else if (!found.has(path)) found.set(path, JSON.stringify(value).slice(0, 60))
  }
  if (body !== undefined) walk(body, '')
  return [...found].map(([path, value]) => ({ path, value }))
}
