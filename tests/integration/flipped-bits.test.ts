import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isFullTier } from '../../build/test-tier.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { randomFrom } from '../helpers/random.ts'

// A flipped bit in a file that a run keeps: the command that reads the file names it and fails, or its output is what it was.

const RUN = ['--dataset', 'smoke', '--run-id', 'r']
const MODELS = ['--models', 'bm25,vanilla-rag']
const FLIPS = isFullTier() ? 24 : 3

let root: string
const path = (name: string): string => join(root, name)
const cli = (...args: string[]) => runCli([...args, '--project', root], { RAG_LADDER_USER_DIR: path('home') })

beforeAll(async () => {
  root = await smokeProject()
  const judges = 'builtin-lexical-support,builtin-semantic-match'
  for (const command of [
    ['ladder', ...RUN, ...MODELS, '--no-publish', '--no-cold-reset'],
    ['judge', 'run', ...RUN, '--judge-models', judges],
    ['bundle', 'export', 'r', '--output', path('r.zip')],
  ])
    expect((await cli(...command)).code).toBe(0)
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Commands that read; each returns its exit code and what it made, without times and without the digests of files that a report lists. */
const READS = {
  report: async () => {
    await rm(path('r.html'), { force: true })
    const { code, stderr } = await cli('report', '--run-id', 'r', '--output', path('r.html'))
    const page = code === 0 ? await readFile(path('r.html'), 'utf8') : stderr
    return { code, text: page.replaceAll(/[0-9a-f]{64}/g, '') }
  },
  summarize: async () => textOf(await cli('summarize', '--run-id', 'r')),
  plan: async () => textOf(await cli('plan', ...RUN, ...MODELS, '--no-cold-reset')),
  verify: async () =>
    textOf(
      await cli(
        'verify',
        ...['evidence.jsonl', 'evaluation.json', 'judgments.json'].map((end) => path(`results/r-smoke-${end}`)),
      ),
    ),
  import: async () => {
    await rm(path('there'), { recursive: true, force: true })
    return textOf(await cli('bundle', 'import', path('r.zip'), '--results', path('there')))
  },
}
const textOf = ({ code, stdout, stderr }: { code: number | null; stdout: string; stderr: string }) => ({
  code,
  text: `${stdout}${stderr}`,
})

/**
 * Said by a command that goes on without the file: a report has no judge figures, and `verify` counts the texts of a line that cannot be read as
 * missing, as after a power cut.
 */
const NAMED = /\d missing|No judge figures: r-smoke-judgments\.json|smoke-\w+\.json: without checksum/

/** Up to a digit that can be another one in a valid file. */
const FIGURE = /"mean": 0\.\d/g

const KINDS: readonly [kind: string, file: string, read: keyof typeof READS, areFigures?: true][] = [
  ['evidence', 'results/r-smoke-evidence.jsonl', 'report'],
  ['evidence', 'results/r-smoke-evidence.jsonl', 'summarize'],
  ['a figure of the stored summary', 'results/r-smoke-evaluation.json', 'report', true],
  ['a figure of the stored summary', 'results/r-smoke-evaluation.json', 'summarize', true],
  ['the stored summary', 'results/r-smoke-evaluation.json', 'report'],
  ['the stored summary', 'results/r-smoke-evaluation.json', 'verify'],
  ['judgments', 'results/r-smoke-judgments.json', 'report'],
  ['judgments', 'results/r-smoke-judgments.json', 'verify'],
  ['the matrix', 'results/r-smoke-matrix.json', 'report'],
  ['the identity of a run', 'results/r-smoke-evidence.identity.json', 'plan'],
  ['the texts of traces', 'results/r-smoke-evidence.traces.jsonl', 'verify'],
  ['the bundle of a run', 'r.zip', 'import'],
  ['questions and facts', 'manifests/datasets/smoke.yaml', 'plan'],
  ['a document', 'corpus/smoke/quay-trust.md', 'plan'],
  ['model sets', 'manifests/models.yaml', 'plan'],
  ['approaches', 'manifests/consumer.yaml', 'plan'],
  ['settings of approaches', 'manifests/flavors.yaml', 'plan'],
  ['settings of the evaluation', 'manifests/evaluation.yaml', 'plan'],
]

describe('a flipped bit', () => {
  it.each(KINDS)('in %s (%s) is named by %s, or changes nothing', async (_, name, command, areFigures) => {
    const file = path(name)
    const whole = await readFile(file)
    const before = await READS[command]()
    expect(before.code).toBe(0)
    const random = randomFrom(7)
    const drawn = Array.from({ length: FLIPS }, () => [Math.floor(random() * whole.length)])
    // All figures at once: a command shows few of them.
    const figures = [...whole.toString('latin1').matchAll(FIGURE)].map(
      ({ index, 0: found }) => index + found.length - 1,
    )
    for (const places of areFigures ? [figures] : drawn) {
      const damaged = Buffer.from(whole)
      for (const at of places) damaged[at]! ^= areFigures ? 1 : 1 << (at % 8)
      await writeFile(file, damaged)
      const { code, text } = await READS[command]()
      const where = `byte ${places[0]}: ${whole.toString('latin1', places[0]! - 20, places[0]! + 20)}`
      if (code === 0 && !NAMED.test(text)) expect(text, where).toBe(before.text)
      else expect(text, where).toMatch(/smoke|r\.zip|manifests/)
    }
    await writeFile(file, whole)
  })
})
