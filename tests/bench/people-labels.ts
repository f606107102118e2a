/**
 * Compares the built-in evaluator's faithfulness with what people said of texts that we did not write: whether a summary is true to its article
 * (1,188 summaries of 594 articles), and whether a claim is supported by a passage (every 200th of 54,668). The records are tasks of BIG-bench in
 * its source package, which are read where they were unpacked and never copied.
 *
 *     pip download --no-deps --no-binary :all: bigbench==1.0.0 && tar xzf bigbench-1.0.0.tar.gz
 *     node tests/bench/people-labels.ts bigbench-1.0.0/bigbench/benchmark_tasks
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { startPlatformProcess } from '../helpers/platform-process.ts'

const TOKEN = 'operator-token-of-this-bench'
const RECORDS_PER_CALL = 50
const EVERY_CLAIM = 200

const Article = z.object({ source: z.string(), list_candidates: z.array(z.string()), lbl: z.int() })
const Claims = z.object({
  examples: z.array(z.object({ input: z.string(), target_scores: z.record(z.string(), z.number()) })),
})
const Evaluated = z.looseObject({
  results: z.array(z.looseObject({ scores: z.looseObject({ faithfulness: z.number().nullable() }) })),
})

interface Labelled {
  text: string
  statement: string
  /** People decided: 1 for true to the text. */
  label: 0 | 1
}

/** Both files begin with two lines that are no record. */
async function summaries(file: string): Promise<Labelled[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(2)
  return lines
    .filter((line) => line !== '')
    .map((line) => Article.parse(JSON.parse(line)))
    .flatMap(({ source, list_candidates: candidates, lbl }) =>
      candidates.map((statement, at) => ({ text: source, statement, label: at === lbl ? 1 : 0 }) as const),
    )
}

async function claims(file: string): Promise<Labelled[]> {
  const { examples } = Claims.parse(JSON.parse(await readFile(file, 'utf8')))
  return examples
    .filter((_, at) => at % EVERY_CLAIM === 0)
    .flatMap(({ input, target_scores: scores }) => {
      const [text, statement] = input.split('\nClaim: ')
      return statement === undefined ? [] : [{ text: text!, statement, label: scores['True'] === 1 ? 1 : 0 }]
    })
}

/** Pearson's correlation of at least four pairs, with a 95 % interval by Fisher's transformation. */
function pearson(pairs: readonly (readonly [number, number])[]): { r: number; low: number; high: number } {
  const mean = (at: 0 | 1): number => pairs.reduce((sum, pair) => sum + pair[at], 0) / pairs.length
  const centre = [mean(0), mean(1)] as const
  const moment = (a: 0 | 1, b: 0 | 1): number =>
    pairs.reduce((sum, pair) => sum + (pair[a] - centre[a]) * (pair[b] - centre[b]), 0)
  const r = moment(0, 1) / Math.sqrt(moment(0, 0) * moment(1, 1))
  const reach = 1.96 / Math.sqrt(pairs.length - 3)
  return { r, low: Math.tanh(Math.atanh(r) - reach), high: Math.tanh(Math.atanh(r) + reach) }
}

async function faithfulness(url: string, records: readonly Labelled[]): Promise<(number | null)[]> {
  const response = await fetch(`${url}/api/rag/evaluate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      records: records.map(({ text, statement }) => ({
        question: 'What does the text say?',
        answer: statement,
        contexts: [text],
        ground_truth: null,
      })),
      metrics: ['faithfulness'],
    }),
  })
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`)
  return Evaluated.parse(await response.json()).results.map(({ scores }) => scores.faithfulness)
}

const tasks = process.argv[2]
if (tasks === undefined) {
  console.error('usage: node tests/bench/people-labels.ts FOLDER')
  process.exit(2)
}
const sets = {
  'summaries of BBC articles (XSum)': await summaries(join(tasks, 'factuality_of_summary/xsum.json')),
  'summaries of news (CNN and Daily Mail)': await summaries(join(tasks, 'factuality_of_summary/cnn_dm.json')),
  'claims about Wikipedia (VitaminC)': await claims(join(tasks, 'vitaminc_fact_verification/task.json')),
}
const folder = await mkdtemp(join(tmpdir(), 'people-labels-'))
const platform = await startPlatformProcess({
  RAG_LADDER_STATE_DIR: join(folder, 'state'),
  BACKEND_INTERNAL_API_TOKEN: TOKEN,
})
try {
  console.log('| texts | graded | mean if true | mean if not | Pearson | 95 % interval |\n|---|---|---|---|---|---|')
  for (const [name, labelled] of Object.entries(sets)) {
    const scores: (number | null)[] = []
    for (let at = 0; at < labelled.length; at += RECORDS_PER_CALL)
      scores.push(...(await faithfulness(platform.url, labelled.slice(at, at + RECORDS_PER_CALL))))
    const pairs = labelled.flatMap(({ label }, at) => {
      const score = scores[at] ?? null
      return score === null ? [] : [[score, label] as const]
    })
    const meanOf = (asked: 0 | 1): string => {
      const own = pairs.filter(([, label]) => label === asked)
      return (own.reduce((sum, [score]) => sum + score, 0) / own.length).toFixed(2)
    }
    const { r, low, high } = pearson(pairs)
    const cells = [meanOf(1), meanOf(0), r.toFixed(2), `${low.toFixed(2)} to ${high.toFixed(2)}`]
    console.log(`| ${name} | ${pairs.length} of ${labelled.length} | ${cells.join(' | ')} |`)
  }
} finally {
  await platform.stop()
  await rm(folder, { recursive: true, force: true })
}
