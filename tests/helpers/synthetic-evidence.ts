import { closeSync, openSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { rowId } from '../../main/evidence/rows/row-id.ts'
import { sealRow } from '../../main/evidence/rows/row-line.ts'
import { randomFrom } from './random.ts'
import { alias, evaluation, fixtureDataset, fixtureRow } from './report-rows.ts'

const BASES = ['vanilla-rag', 'hybrid-rag', 'contextual-rag', 'agentic-rag', 'lazy-graph-rag'] as const

/** Two aliases of each of five approaches. */
export const SYNTHETIC_ALIASES = BASES.flatMap((base) => [alias(base, base), alias(`${base}-wide`, base, 'wide')])

const WORDS = (
  'canal lock rises four metres gate chamber keeper level notes water the of and a in to fills before closes north south ' +
  'supplier contract agency river coolant pump valve report incident group malware actor campaign credential access'
).split(' ')

export interface SyntheticRun {
  runId: string
  datasetId: string
  questions: number
  /** Aliases per question, at most ten. */
  aliases: number
  seed: number
  /** Words of an answer, from and to. */
  answerWords: [number, number]
}

/** Rows question by question; one in fifty failed, one in fifty of the others without a model-graded score. */
export function* syntheticRows(run: SyntheticRun): Generator<CanonicalRow> {
  const random = randomFrom(run.seed)
  const dataset = fixtureDataset(run.datasetId, run.datasetId, 1)
  const [from, to] = run.answerWords
  // Parsed once, so that their members have the order in which the log writes them.
  const templates = SYNTHETIC_ALIASES.map((approach) => [
    CanonicalRow.parse(fixtureRow(dataset, approach, 0)),
    CanonicalRow.parse(fixtureRow(dataset, approach, 0, { failure: { type: 'http_error', message: 'HTTP 500' } })),
  ])
  for (let index = 0; index < run.questions; index += 1) {
    const { tags: _, ...question } = { ...dataset.questions[index % 7]!, id: `q-${index}` }
    const query = `Question ${index} of ${run.datasetId}: ${WORDS[index % WORDS.length]!}?`
    for (let place = 0; place < run.aliases; place += 1) {
      const fate = random()
      const row = templates[place]![fate < 0.02 ? 1 : 0]!
      const words = from + Math.floor(random() * (to - from + 1))
      const answer = Array.from({ length: words }, () => wordOf(random)).join(' ')
      const recall = Math.round(random() * 4) / 4
      const scores = {
        facts_found: recall,
        hit_at_5: recall > 0 ? 1 : 0,
        recall_at_5: recall,
        mrr_at_10: recall,
        ndcg_at_10: recall,
      }
      const ragas =
        fate > 0.98
          ? evaluation({}, { error_type: 'timeout' })
          : evaluation({ faithfulness: random(), answer_relevancy: random() })
      const latency_ms = Math.round(random() * 5_000_000) / 1000
      const key = { run_id: run.runId, dataset_id: dataset.id, question_id: question.id, model: row.approach.model }
      const operational = { ...row.metrics.operational, latency_ms }
      yield {
        ...row,
        run_id: run.runId,
        row_id: rowId(key),
        question: { ...row.question, ...question, query },
        evidence: row.evidence && { ...row.evidence, answer, raw_content: answer },
        metrics:
          row.status === 'ok'
            ? {
                ...row.metrics,
                operational,
                ragas: { ...row.metrics.ragas, ...ragas },
                retrieval: { status: 'ok', scores, reason: null },
              }
            : { ...row.metrics, operational },
      }
    }
  }
}

const wordOf = (random: () => number): string => {
  const word = WORDS[Math.floor(random() * WORDS.length)]!
  return random() < 0.1 ? `${word}${Math.floor(random() * 5000)}` : word
}

/** The line that the evidence log would write, without its checks, which take longer than all the rest. */
export function fastLine(row: CanonicalRow): Buffer {
  const body = JSON.stringify(row).slice(0, -1)
  const checksum = crc32(body).toString(16).padStart(8, '0')
  return Buffer.from(`${body},"checksum":"${checksum}"}\n`)
}

/** Writes a run's evidence and returns its bytes; the first row is made by the log's own code too, and must come out equal. */
export function writeSyntheticRun(file: string, run: SyntheticRun): number {
  const fd = openSync(file, 'w')
  let [bytes, pending, pendingBytes]: [number, Buffer[], number] = [0, [], 0]
  const flush = (): void => {
    bytes += writeSync(fd, Buffer.concat(pending))
    pending = []
    pendingBytes = 0
  }
  try {
    for (const row of syntheticRows(run)) {
      const line = fastLine(row)
      if (bytes + pendingBytes === 0) {
        const sealed = sealRow(row)
        if (!sealed.ok) throw new Error(sealed.problem)
        if (!sealed.line.equals(line)) throw new Error('a synthetic line is not what the log would write')
      }
      pending.push(line)
      pendingBytes += line.length
      if (pendingBytes > 4 << 20) flush()
    }
    flush()
  } finally {
    closeSync(fd)
  }
  return bytes
}
