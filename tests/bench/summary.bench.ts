import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { contextTokens } from '../../main/evaluation/handed-over.ts'
import { budgetCurve } from '../../main/evaluation/retrieval-scores.ts'
import { rowId } from '../../main/evidence/rows/row-id.ts'
import { sealRow } from '../../main/evidence/rows/row-line.ts'
import { aggregateText } from '../../main/report/aggregate/aggregate-run.ts'
import { CLI_FLAGS } from '../helpers/program.ts'
import { aggregateRun } from '../helpers/aggregate-run.ts'
import { artifactFiles, type ArtifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { readEvidenceRows } from '../../main/report/read-evidence.ts'
import { validateArtifacts } from '../../main/report/publication/validate-artifacts.ts'
import { writeArtifacts } from '../../main/report/publication/write-artifacts.ts'
import { writeAtomic } from '../../main/lib/files/write-atomic.ts'
import { summaryContextFromRows } from '../../main/report/aggregate/run-summary.ts'
import { alias, evaluation, fixtureDataset, fixtureRow, REPORT_RUN } from '../helpers/report-rows.ts'

export interface SummaryBench {
  rows: number
  fileMb: number
  /** Seconds from the closed evidence file to aggregate and CSV on disk. */
  seconds: number
  rerunSeconds: number
  /** Processor time of all threads for the better of the two: what remains comparable on a busy machine. */
  cpuSeconds: number
  /** True when the rerun's aggregate and CSV have the same bytes. */
  identical: boolean
  peakRssMb: number
  /** The check before publication of the same run: its matrix, and the most memory of it. */
  check: { matrixMb: number; seconds: number; peakRssMb: number }
}

const ROWS = 100_000
const APPROACHES = ['vanilla-rag', 'hybrid-rag', 'contextual-rag', 'graph-rag', 'agentic-rag'] as const
const ALIASES = APPROACHES.flatMap((base) => [alias(base, base), alias(`${base}-wide`, base, 'wide')])
const QUESTIONS = ROWS / ALIASES.length

/** Mulberry32: numbers in 0..1, the same for the same seed. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** One row of 2 to 4 KB with scores of its own; one in fifty failed, one in fifty without a score. */
function rowOf(index: number, random: () => number): CanonicalRow {
  const dataset = fixtureDataset('bench', 'Bench', 1)
  const fate = random()
  // A question has one text, whichever approach answers it.
  const question = Math.floor(index / ALIASES.length)
  const row = fixtureRow(dataset, ALIASES[index % ALIASES.length]!, question % 7, {
    latencyMs: random() * 5000,
    recall: Math.round(random() * 4) / 4,
    answer: 'An answer of some length with "quotes" in it. '.repeat(1 + Math.floor(random() * 8)),
    ...(fate < 0.02 ? { failure: { type: 'http_error', message: 'HTTP 500' } } : {}),
    ragas:
      fate > 0.98
        ? evaluation({}, { error_type: 'timeout' })
        : evaluation({ faithfulness: random(), answer_relevancy: random() }),
  })
  const id = `q-${question}`
  const key = { run_id: REPORT_RUN, dataset_id: dataset.id, question_id: id, model: row.approach.model }
  // Questions share documents by fours, as they do where one author writes several about each.
  const gold = [{ document: `d-${Math.floor(question / 4)}.md`, fact: 'fact' }]
  return asStored({ ...row, row_id: rowId(key), question: { ...row.question, id, gold } })
}

/** With what the runner records beside an answer, where it records it. */
function asStored(row: CanonicalRow): CanonicalRow {
  const { evidence, approach, metrics, question } = row
  if (evidence === null) return row
  const { contexts, sources } = evidence
  const budget_curve = budgetCurve({ contexts, sources, usedPassages: null }, question.gold)
  return {
    ...row,
    evidence: { ...contextTokens(evidence, approach.evidence_capability, metrics.context_text), ...evidence },
    metrics: { ...metrics, retrieval: { ...metrics.retrieval, ...(budget_curve === null ? {} : { budget_curve }) } },
  }
}

async function writeEvidence(file: string): Promise<void> {
  const random = generator(7)
  const stream = createWriteStream(file)
  for (let index = 0; index < ROWS; index += 1) {
    const sealed = sealRow(rowOf(index, random))
    if (!sealed.ok) throw new Error(sealed.problem)
    if (!stream.write(sealed.line)) await new Promise<void>((resolve) => stream.once('drain', resolve))
  }
  stream.end()
  await finished(stream)
}

/** The most memory of this process, in MB, until it is stopped. */
function watchMemory(): { stop: () => number } {
  let peak = process.memoryUsage.rss()
  const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  return {
    stop: () => {
      clearInterval(timer)
      return peak / 1e6
    },
  }
}

async function benchCheck(files: ArtifactFiles): Promise<SummaryBench['check']> {
  const { written } = await writeArtifacts(
    files,
    readEvidenceRows(files.evidence),
    summaryContextFromRows(REPORT_RUN, 'bench'),
  )
  const matrix = written.find(({ path }) => path === files.matrix)!
  const rss = watchMemory()
  const start = performance.now()
  const { problems } = await validateArtifacts(files, { runId: REPORT_RUN, datasetId: 'bench', expectedCells: ROWS })
  const seconds = (performance.now() - start) / 1000
  if (problems.length > 0) throw new Error(`the check found a problem: ${problems[0]!.message}`)
  return { matrixMb: matrix.sizeBytes / 1e6, seconds, peakRssMb: rss.stop() }
}

interface SummaryCost {
  seconds: number
  cpuSeconds: number
  hashes: string
  peakRssMb: number
}

/** In a fresh process: the memory of this one is that of whoever wrote the rows. */
async function summarizeAlone(dir: string, csv: string): Promise<SummaryCost> {
  const child = join(import.meta.dirname, 'summary-child.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [...CLI_FLAGS, child, dir, REPORT_RUN, 'bench', csv])
  return JSON.parse(stdout) as SummaryCost
}

/** P8: summary and CSV of 100,000 rows of 2–4 KB (10 aliases × 10,000 questions), twice, from the closed evidence file. */
export async function benchSummary(): Promise<SummaryBench> {
  const dir = await mkdtemp(join(tmpdir(), 'summary-bench-'))
  try {
    const files = artifactFiles(dir, REPORT_RUN, 'bench')
    await writeEvidence(files.evidence)
    const first = await aggregateRun(readEvidenceRows(files.evidence), summaryContextFromRows(REPORT_RUN, 'bench'))
    if (first.questions.length !== QUESTIONS) throw new Error('the bench made other questions than it meant to')
    await writeAtomic(files.evaluation, aggregateText(first))
    const one = await summarizeAlone(dir, join(dir, 'one.csv'))
    const two = await summarizeAlone(dir, join(dir, 'two.csv'))
    return {
      rows: ROWS,
      fileMb: (await stat(files.evidence)).size / 1e6,
      seconds: one.seconds,
      rerunSeconds: two.seconds,
      cpuSeconds: Math.min(one.cpuSeconds, two.cpuSeconds),
      identical: one.hashes === two.hashes,
      peakRssMb: Math.max(one.peakRssMb, two.peakRssMb),
      check: await benchCheck(files),
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
