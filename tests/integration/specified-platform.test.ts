import { rm } from 'node:fs/promises'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CANONICAL_APPROACHES } from '../../contract/approaches.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { type CliResult } from '../helpers/cli-in-process.ts'
import { rowsOf } from '../helpers/ladder-run.ts'
import { startSpecifiedPlatform, type SpecifiedPlatform } from '../helpers/specified-platform.ts'

let root = ''
let stub: SpecifiedPlatform | null = null
beforeAll(async () => {
  root = await smokeProject()
})
afterEach(async () => {
  await stub?.close()
  stub = null
})
afterAll(() => rm(root, { recursive: true }))

const KEYS = { gateway: 'gateway-key', platform: 'platform-token', evaluator: 'evaluator-key' }
const CREDENTIALS = {
  MATRIX_GATEWAY_API_KEY: KEYS.gateway,
  MATRIX_PLATFORM_TOKEN: KEYS.platform,
  MATRIX_EVALUATOR_API_KEY: KEYS.evaluator,
}

const ladder = (runId: string, options: string[], env: Record<string, string>): Promise<CliResult> =>
  runCli(['ladder', '--project', root, '--dataset', 'smoke', '--run-id', runId, '--no-publish', ...options], env)

const addresses = ({ gateway, platform, evaluator }: SpecifiedPlatform): string[] => [
  '--gateway',
  `${gateway}/v1`,
  '--platform',
  platform,
  '--evaluator',
  evaluator,
]

const rows = (runId: string) => rowsOf(join(root, `results/${runId}-smoke-evidence.jsonl`))

describe('a platform that has only what is specified', () => {
  it('is climbed by a whole ladder: gateway, platform and evaluator at addresses of their own, no other route needed', async () => {
    stub = await startSpecifiedPlatform({ aliases: CANONICAL_APPROACHES, keys: KEYS })
    const result = await ladder('specified', addresses(stub), CREDENTIALS)
    expect(result.stderr).toBe('')
    expect(result.code).toBe(0)
    const made = await rows('specified')
    expect(new Set(made.map(({ approach }) => approach.model))).toEqual(new Set(CANONICAL_APPROACHES))
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set(['ok']))
    const vanilla = made.filter(({ approach }) => approach.model === 'vanilla-rag')
    expect(new Set(vanilla.map(({ metrics }) => metrics.ragas.status))).toEqual(new Set(['ok']))
    expect(made[0]!.reproducibility.ingestion).toMatchObject({ job_id: 'job-1', content_digest: 'd1' })
    expect(stub.asked.gateway.filter((route) => !/chat|models/.test(route))).toEqual([])
  })

  it('is named by variables as well as by options', async () => {
    stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag'], keys: KEYS })
    const result = await ladder('by-variables', ['--models', 'vanilla-rag'], {
      ...CREDENTIALS,
      MATRIX_GATEWAY_URL: stub.gateway,
      MATRIX_PLATFORM_URL: stub.platform,
      MATRIX_EVALUATOR_URL: `${stub.evaluator}/api/rag/evaluate`,
    })
    expect(result.stderr).toBe('')
    expect(result.code).toBe(0)
    expect(stub.asked.evaluator.length).toBeGreaterThan(1)
  })
})

describe('what is missing is named before anything is paid for or deleted', () => {
  it('an alias that the gateway does not list ends the run before the first call, with the aliases missing and present', async () => {
    stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag', 'gpt-x'] })
    const result = await ladder('missing', [...addresses(stub), '--models', 'vanilla-rag,hybrid-rag'], {})
    expect(result.code).toBe(5)
    expect(result.stdout + result.stderr).toContain(
      'the gateway does not list hybrid-rag; of the selected aliases it lists vanilla-rag; it also lists gpt-x',
    )
    expect(stub.asked).toEqual({
      gateway: ['GET /v1/models'],
      platform: ['GET /api/rag/ingestions'],
      evaluator: ['POST /api/rag/evaluate'],
    })
    expect(existsSync(join(root, 'results/missing-smoke-evidence.jsonl'))).toBe(false)
  })

  it('every service that refuses its credential is named at once, with the variable to set', async () => {
    stub = await startSpecifiedPlatform({ aliases: CANONICAL_APPROACHES, keys: KEYS })
    const result = await ladder('refused', addresses(stub), {})
    const text = result.stdout + result.stderr
    expect(result.code).toBe(5)
    for (const variable of Object.keys(CREDENTIALS)) expect(text).toContain(variable)
    expect(Object.values(stub.asked).map((routes) => routes.length)).toEqual([1, 1, 1])
  })

  it('an evaluator without the route, judges and a platform that cannot be reached are named with their options', async () => {
    stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag'] })
    const closed = 'http://127.0.0.1:1'
    const judges = ['--judge-models', 'qwen3,llama3', '--judge-endpoint', `${closed}/v1?tenant=a`]
    const options = [
      '--models',
      'vanilla-rag',
      '--gateway',
      stub.gateway,
      '--platform',
      closed,
      '--evaluator',
      stub.gateway,
    ]
    const result = await ladder('unreachable', [...options, ...judges], {})
    const text = result.stdout + result.stderr
    expect(result.code).toBe(5)
    expect(text).toMatch(
      /evaluator: POST .*\/api\/rag\/evaluate answered HTTP 404: there is no such route; correct --evaluator/,
    )
    expect(text).toMatch(/platform: GET .*127\.0\.0\.1:1.* cannot be reached \(.*\); start it, or correct --platform/)
    expect(text).toMatch(/judges: GET http:\/\/127\.0\.0\.1:1\/v1\/models\?tenant=a cannot be reached/)
    expect(stub.asked.gateway.filter((route) => route.includes('chat'))).toEqual([])
  })

  it('an alias that is unavailable after ingestion ends the run before the first call, with the aliases missing and present', async () => {
    const gone = {
      unavailable: { 'graph-rag': 'the graph engine is not running' },
      unavailableAfter: 'ingestion',
    } as const
    stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag', 'graph-rag'], ...gone })
    const result = await ladder('gone', [...addresses(stub), '--models', 'vanilla-rag,graph-rag'], {})
    expect([result.code, result.stdout + result.stderr]).toEqual([
      5,
      expect.stringContaining(
        'graph-rag cannot answer: the graph engine is not running; of the selected aliases vanilla-rag can; repair what is named and start the run again, or select others with --models',
      ),
    ])
    expect(stub.asked.platform).toContain('POST /api/rag/ingestions')
    expect(stub.asked.gateway.filter((route) => route.includes('chat'))).toEqual([])
  })

  it('an alias that becomes unavailable later ends the resumed run, and the rows that are stored stay', async () => {
    stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag', 'hybrid-rag'] })
    const again = [...addresses(stub), '--no-cold-reset', '--models', 'vanilla-rag,hybrid-rag']
    expect((await ladder('later', again, {})).code).toBe(0)
    const before = await rows('later')
    stub.options.unavailable = { 'vanilla-rag': 'the model is not loaded' }
    expect((await ladder('later', again, {})).code).toBe(5)
    expect(await rows('later')).toEqual(before)
  })

  it('judge run asks the endpoint of the judges once, before any verdict is paid for', async () => {
    stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag', 'hybrid-rag'], keys: { gateway: KEYS.gateway } })
    const models = ['--models', 'vanilla-rag,hybrid-rag']
    expect((await ladder('judged', [...addresses(stub), ...models], CREDENTIALS)).code).toBe(0)
    const asked = stub.asked.gateway.length
    const judge = ['judge', 'run', '--project', root, '--dataset', 'smoke', '--run-id', 'judged']
    const panel = ['--judge-models', 'qwen3,llama3', '--judge-endpoint']
    const refused = await runCli([...judge, ...panel, `${stub.gateway}/v1`])
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([
      5,
      expect.stringMatching(/judges: GET .*\/v1\/models answered HTTP 401: .* set JUDGE_API_KEY/),
    ])
    expect(stub.asked.gateway.slice(asked)).toEqual(['GET /v1/models'])
    const unreachable = await runCli([...judge, ...panel, 'http://127.0.0.1:1/v1'])
    expect([unreachable.code, unreachable.stdout + unreachable.stderr]).toEqual([
      5,
      expect.stringMatching(/judges: GET http:\/\/127\.0\.0\.1:1\/v1\/models cannot be reached/),
    ])
    const throughGateway = await runCli([...judge, '--judge-models', 'qwen3,llama3', '--gateway', stub.gateway])
    expect([throughGateway.code, throughGateway.stdout + throughGateway.stderr]).toEqual([
      5,
      expect.stringMatching(/judges: GET .*\/v1\/models answered HTTP 401: .* set MATRIX_GATEWAY_API_KEY/),
    ])
    expect(existsSync(join(root, 'results/judged-smoke-judgments.json'))).toBe(false)
  })

  it('evaluate asks the evaluator once, before any answer is sent', async () => {
    stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag'], keys: { evaluator: KEYS.evaluator } })
    const options = [...addresses(stub), '--models', 'vanilla-rag']
    expect((await ladder('answered', options, CREDENTIALS)).code).toBe(0)
    const asked = stub.asked.evaluator.length
    const evaluate = ['evaluate', '--project', root, '--dataset', 'smoke', '--from', 'answered', '--run-id', 'again']
    const refused = await runCli([...evaluate, '--evaluator', stub.evaluator])
    expect([refused.code, refused.stderr]).toEqual([
      5,
      expect.stringMatching(/evaluator: POST .* answered HTTP 401: .* set MATRIX_EVALUATOR_API_KEY/),
    ])
    expect(stub.asked.evaluator.length).toBe(asked + 1)
    const lost = await runCli([...evaluate, '--evaluator', stub.gateway])
    expect([lost.code, lost.stderr]).toEqual([5, expect.stringMatching(/answered HTTP 404: there is no such route/)])
    expect(existsSync(join(root, 'results/again-smoke-evidence.jsonl'))).toBe(false)
    expect((await runCli([...evaluate, '--evaluator', stub.evaluator], CREDENTIALS)).code).toBe(0)
  })

  it('the command matrix refuses an unavailable alias before anything is written', async () => {
    stub = await startSpecifiedPlatform({
      aliases: ['vanilla-rag', 'graph-rag'],
      unavailable: { 'graph-rag': 'no collection' },
    })
    const where = ['--project', root, '--dataset', 'smoke', '--run-id', 'matrix-gone', ...addresses(stub)]
    const refused = await runCli(['matrix', ...where, '--models', 'vanilla-rag,graph-rag'])
    expect([refused.code, refused.stdout]).toEqual([
      5,
      expect.stringContaining('graph-rag cannot answer: no collection'),
    ])
    expect(existsSync(join(root, 'results/matrix-gone-smoke-evidence.jsonl'))).toBe(false)
  })

  it('the command matrix refuses an alias that the gateway does not list, too', async () => {
    stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag'] })
    const where = ['--project', root, '--dataset', 'smoke', '--run-id', 'matrix', ...addresses(stub)]
    const refused = await runCli(['matrix', ...where, '--models', 'graph-rag'])
    expect(refused.code).toBe(5)
    expect(refused.stdout + refused.stderr).toContain('the gateway does not list graph-rag')
    const done = await runCli(['matrix', ...where, '--models', 'vanilla-rag'])
    expect(done.code).toBe(0)
    expect(stub.asked.platform).toEqual([])
  })
})

describe('the command matrix', () => {
  it('writes summary and matrix to the paths of the variables, and prints the matrix', async () => {
    stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag'] })
    const where = ['--project', root, '--dataset', 'smoke', '--run-id', 'placed', ...addresses(stub)]
    const files = {
      MATRIX_CANONICAL_FILE: 'placed/rows.jsonl',
      MATRIX_SUMMARY_FILE: 'placed/summary.json',
      MATRIX_RESULTS_FILE: 'placed/matrix.json',
    }
    const done = await runCli(['matrix', ...where, '--models', 'vanilla-rag'], files)
    expect([done.stderr, done.code]).toEqual(['', 0])
    expect(done.stdout).toContain('vanilla-rag')
    const summary = JSON.parse(readFileSync(join(root, 'placed/summary.json'), 'utf8')) as Record<string, unknown>
    expect(summary).toMatchObject({ run_id: 'placed', cells: { expected: 4, missing: 0 } })
    const matrix = JSON.parse(readFileSync(join(root, 'placed/matrix.json'), 'utf8')) as Record<string, unknown>
    expect(matrix).toMatchObject({ run_id: 'placed' })
    expect(existsSync(join(root, 'results/placed-smoke-matrix.json'))).toBe(false)
    const ladderOfSame = await ladder(
      'placed',
      [...addresses(stub), '--no-cold-reset', '--models', 'vanilla-rag'],
      files,
    )
    expect(ladderOfSame.code).toBe(4)
  })
})
