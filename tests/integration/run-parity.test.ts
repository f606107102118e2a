import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { Judgments } from '../../contract/evidence/judgments.ts'
import type { Matrix } from '../../contract/evidence/matrix.ts'
import type { RunRequestInput } from '../../contract/control/run-job.ts'
import { readSealedJson } from '../../main/lib/files/sealed-json.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { startEngine } from '../helpers/engine-process.ts'
import { ranToEnd } from '../helpers/engine-runs.ts'
import { BUILTINS } from '../helpers/judge-panel.ts'
import { rowsOf } from '../helpers/ladder-run.ts'
import { copySmokeQuestions } from '../helpers/older-layout.ts'
import { startSpecifiedPlatform, type SpecifiedPlatform } from '../helpers/specified-platform.ts'

const KEYS = { gateway: 'gateway-key', platform: 'platform-token', evaluator: 'evaluator-key' }
const ALIASES = ['lazy-graph-rag-balanced', 'agentic-rag-deeper', 'graph-rag', 'vanilla-rag']

let root = ''
let stub: SpecifiedPlatform
beforeAll(async () => {
  root = await smokeProject()
  const manifest = await readFile(join(root, 'manifests/evaluation.yaml'), 'utf8')
  await writeFile(join(root, 'manifests/other.yaml'), manifest.replace("seed: 'ladder'", "seed: 'of another manifest'"))
  await copySmokeQuestions(root, 'manifests/other-questions.yaml', 'other-')
  stub = await startSpecifiedPlatform({ aliases: ALIASES, keys: KEYS, broken: ['graph-rag'] })
})
afterAll(async () => {
  await stub.close()
  await rm(root, { recursive: true })
})

/** A choice, as a person types it and as the panel sends it. */
interface Choice {
  options: string[]
  request: RunRequestInput
  env: Record<string, string>
  /** Selected questions × approaches × repetitions. */
  rows: number
  /** False where a cell fails: no judge is paid for answers of which some are missing. */
  isJudged: boolean
}

const CHOICES: Record<string, () => Choice> = {
  'options and fields of a request': () => ({
    rows: 16,
    isJudged: true,
    options: [
      '--dataset',
      'smoke',
      '--flavors',
      'balanced,deeper',
      '--repeats',
      '2',
      '--concurrency',
      '3',
      '--metrics',
      'faithfulness,context_recall',
      '--judge-models',
      BUILTINS.join(),
      '--rotations',
      '2',
    ],
    request: {
      dataset_ids: ['smoke'],
      flavors: ['balanced', 'deeper'],
      repeats: 2,
      concurrency: 3,
      metrics: ['faithfulness', 'context_recall'],
      judge: {
        models: BUILTINS,
        rotations: 2,
      },
    },
    env: { MATRIX_MANIFEST_FILE: 'manifests/other.yaml', MATRIX_QUERIES_FILE: 'manifests/other-questions.yaml' },
  }),
  'variables alone': () => ({
    options: [],
    request: {},
    rows: 24,
    isJudged: false,
    env: {
      MATRIX_DATASET_ID: 'smoke',
      MATRIX_MODELS: 'vanilla-rag,graph-rag',
      MATRIX_REPEATS: '3',
      MATRIX_CONCURRENCY: '2',
      JUDGE_MODELS: BUILTINS.join(),
    },
  }),
}

const addresses = (): Record<string, string> => ({
  MATRIX_GATEWAY_URL: stub.gateway,
  MATRIX_PLATFORM_URL: stub.platform,
  MATRIX_EVALUATOR_URL: stub.evaluator,
  MATRIX_GATEWAY_API_KEY: KEYS.gateway,
  MATRIX_PLATFORM_TOKEN: KEYS.platform,
  MATRIX_EVALUATOR_API_KEY: KEYS.evaluator,
})

const RUN = 'same'

/** Everything that a run leaves, without what differs between any two runs: times of the clock and durations, and so checksums. */
async function leftBy(folder: string) {
  const json = async <Value>(kind: string): Promise<Value> =>
    readSealedJson(await readFile(join(folder, `${RUN}-smoke-${kind}.json`), 'utf8'))!.value as Value
  const rows = await rowsOf(join(folder, `${RUN}-smoke-evidence.jsonl`))
  const aggregate = await json<Aggregate>('evaluation')
  const judgments = existsSync(join(folder, `${RUN}-smoke-judgments.json`)) ? await json<Judgments>('judgments') : null
  return {
    rows: rows.map(untimed).toSorted((a, b) => a.row_id.localeCompare(b.row_id)),
    matrix: withoutTimes(await json<Matrix>('matrix')),
    aggregate: withoutTimes(aggregate),
    judgments: withoutTimes(judgments),
    identity: await json('evidence.identity'),
  }
}

const untimed = (row: CanonicalRow) => {
  const { checksum: _checksum, finished_at: _finished, ...rest } = row
  return withoutTimes(rest)
}

const TIMES = /(^|_)(ms|s|latency|seconds|at|waited)$|latency|queue/

const isOfLatency = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'metric' in value && value.metric === 'latency_ms'

/** A sentence that names a duration, such as the recommendation of a verdict. */
const NAMES_TIME = /\d (ms|s|min)\b/

/** Keeps only the type of a value that is a time by its name or sentence; nothing of figures about latency. */
function withoutTimes<Value>(value: Value): Value {
  const text = JSON.stringify(value, (key, each: unknown) =>
    // A top group names its fastest member first.
    key === 'top' && Array.isArray(each)
      ? each.map(String).sort()
      : TIMES.test(key) || (typeof each === 'string' && NAMES_TIME.test(each))
        ? typeof each
        : isOfLatency(each)
          ? 'latency'
          : each,
  )
  return JSON.parse(text) as Value
}

it.each(Object.keys(CHOICES))(
  'the command line and the engine make the same rows, summary, matrix and judgments of the same %s',
  async (name) => {
    const { options, request, env, rows, isJudged } = CHOICES[name]!()
    const results = join(root, 'results')
    const both = { ...env, ...addresses() }
    const typed = await runCli(['ladder', '--project', root, '--run-id', RUN, '--no-publish', ...options], both)
    expect([typed.stderr, [0, 3].includes(typed.code ?? -1)]).toEqual(['', true])
    const byCommandLine = await leftBy(results)
    expect(byCommandLine.rows).toHaveLength(rows)
    expect(byCommandLine.judgments !== null).toBe(isJudged)
    await rm(results, { recursive: true })

    const engine = await startEngine(root, both)
    try {
      const start = () => engine.client.runs.start({ ...request, run_id: RUN, cold_reset: false, publish: false })
      const job = await ranToEnd(engine.client, RUN, start)
      expect(job.state).toBe(typed.code === 0 ? 'completed' : 'failed')
    } finally {
      await engine.stop()
    }
    expect(await leftBy(results)).toEqual(byCommandLine)
    await rm(results, { recursive: true })
  },
  120_000,
)
