import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { rowsOf } from '../helpers/ladder-run.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { pythonPeer } from './python-peer.ts'

// Our scores against those of Ragas from the same replies of the same evaluator model (docs/validity.md).

const peer = await pythonPeer('ragas')
if (peer.reason !== null) console.log(`○ ${peer.reason}`)
beforeEach(({ skip }) => skip(peer.reason !== null, peer.reason ?? ''))

const METRICS = ['faithfulness', 'answer_relevancy', 'context_precision', 'context_recall'] as const
const LEAST_RECORDS = 50

type Scores = Record<string, number | null>
interface ReplayedRecord {
  id: string
  question: string
  answer: string
  contexts: readonly string[]
  reference: string | null
  reasons: Record<string, unknown>
  ours: Scores
}

function replayed({ row_id, question, evidence, metrics }: CanonicalRow): ReplayedRecord {
  const { scores, reasons } = metrics.ragas as { scores: Scores; reasons: Record<string, unknown> }
  return {
    id: row_id,
    question: question.query,
    answer: evidence!.answer,
    contexts: evidence!.contexts,
    reference: question.ground_truth ?? null,
    reasons: Object.fromEntries(Object.entries(reasons).filter(([name]) => typeof scores[name] === 'number')),
    ours: scores,
  }
}

async function ragasScores(records: readonly ReplayedRecord[]): Promise<Map<string, Scores>> {
  const child = spawn(join(peer.bin!, 'python'), [join(import.meta.dirname, 'ragas-replay.py')], {
    env: { ...process.env, RAGAS_DO_NOT_TRACK: 'true' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part))
  child.stdin.end(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code).toBe(0)
  const lines = printed.trim().split('\n')
  return new Map(
    lines.map((line) => JSON.parse(line) as { id: string; scores: Scores }).map((each) => [each.id, each.scores]),
  )
}

let root = ''
let records: ReplayedRecord[] = []
beforeAll(async () => {
  if (peer.bin === null) return
  root = await smokeProject('graph_native')
  await cp(join(PROJECT_ROOT, 'corpus/graph_native'), join(root, 'corpus/graph_native'), { recursive: true })
  const run = [
    '--dataset',
    'graph_native',
    '--models',
    'vanilla-rag,hybrid-rag',
    '--run-id',
    'replayed',
    '--no-publish',
  ]
  const done = await runCli(['ladder', '--project', root, ...run, '--metrics', METRICS.join(','), '--json'])
  if (done.code !== 0) throw new Error(done.stderr)
  records = (await rowsOf(join(root, 'results/replayed-graph_native-evidence.jsonl'))).map(replayed)
})
afterAll(() => (root === '' ? undefined : rm(root, { recursive: true, force: true })))

describe(`Ragas ${peer.version ?? ''}`, () => {
  it('computes the same four scores from the same replies of the evaluator model', async () => {
    const theirs = await ragasScores(records)
    for (const metric of METRICS) {
      const pairs = records.flatMap(({ id, ours, reasons }) =>
        metric in reasons ? [[ours[metric]!, theirs.get(id)![metric]!] as const] : [],
      )
      const greatest = Math.max(...pairs.map(([our, their]) => Math.abs(our - their)))
      const values = new Set(pairs.map(([our]) => our)).size
      console.log(`${metric}: ${pairs.length} records, ${values} values, greatest difference ${greatest}`)
      expect(pairs.length).toBeGreaterThanOrEqual(LEAST_RECORDS)
      expect(values).toBeGreaterThan(1)
      expect(greatest).toBeLessThan(1e-9)
    }
  })

  it('differs where one reply differs', async () => {
    const record = records.find(({ ours }) => ours['context_recall'] === 1)!
    const { statements } = record.reasons['context_recall'] as { statements: readonly object[] }
    const changed = statements.map((statement) => ({ ...statement, attributed: 0 }))
    const theirs = await ragasScores([{ ...record, reasons: { context_recall: { statements: changed } } }])
    expect(theirs.get(record.id)).toEqual({ context_recall: 0 })
  })
})
