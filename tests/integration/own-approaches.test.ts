import { spawnSync } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { json, startFaultServer, type FaultServer } from '../helpers/fault-server.ts'

let root: string
let server: FaultServer
let user: Record<string, string>
const cli = (...args: string[]) => runCli([...args, '--project', root], user)
const ladder = (models: string, runId: string) => [
  'ladder',
  '--dataset',
  'smoke',
  '--models',
  models,
  '--run-id',
  runId,
  '--no-publish',
  '--project',
  root,
]
const rowsOf = async (runId: string): Promise<CanonicalRow[]> =>
  (await readFile(join(root, `results/${runId}-smoke-evidence.jsonl`), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => CanonicalRow.parse(JSON.parse(line)))
const hasPython = spawnSync('python3', ['--version']).status === 0

beforeAll(async () => {
  root = await smokeProject()
  server = await startFaultServer()
  user = { RAG_LADDER_USER_DIR: join(root, 'person') }
})
afterAll(async () => {
  await server.close()
  await rm(root, { recursive: true, force: true })
})

it.runIf(hasPython)('the Python example answers as it is written, with nothing installed', async () => {
  const made = await cli('approaches', 'new', 'minepy', '--language', 'python')
  expect([made.code, made.stderr]).toEqual([0, ''])
  const tried = await cli('approaches', 'test', 'minepy')
  expect(tried.stdout).toMatch(
    /Answer: The sample harbour is in Falmouth\.\nPassages: 2, \d+ tokens of text\n {2}1\. sample\.md/,
  )
  expect([tried.code, tried.stdout]).toEqual([0, expect.stringContaining('Not evaluable: cost')])
})

it('a program is compared like any approach, and its rows say which program it was', async () => {
  expect((await cli('approaches', 'new', 'mine', '--language', 'typescript')).code).toBe(0)
  expect((await readFile(join(root, 'approaches/mine.ts'), 'utf8')).split('\n').length).toBeLessThan(60)
  const run = await runCli([...ladder('bm25,mine', 'compared'), '--baselines', 'no-retrieval,full-context'], user)
  expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('failed')])
  const rows = await rowsOf('compared')
  const mine = rows.filter(({ approach }) => approach.model === 'mine')
  expect(mine.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(mine[0]).toMatchObject({
    approach: {
      base_model: 'own-approach',
      parameters: {
        kind: 'command',
        command: ['node', 'approaches/mine.ts'],
        program: 'approaches/mine.ts',
        program_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      },
    },
  })
  expect(mine.every(({ evidence }) => evidence!.contexts.length > 0)).toBe(true)
  const of = (model: string) => rows.filter(({ approach }) => approach.model === model).map(({ evidence }) => evidence!)
  // The built-in answerer is a rule: without a passage it knows nothing.
  expect(of('no-retrieval').length).toBe(4)
  for (const { contexts, answer } of of('no-retrieval'))
    expect([contexts, answer]).toEqual([[], expect.stringMatching(/^The passages do not answer this question\./)])
  expect(new Set(of('full-context').map(({ contexts }) => contexts.length))).toEqual(new Set([3]))
})

it('a run that is killed in the middle goes on where it was, unless the program changed', async () => {
  const running = startCli([...ladder('mine', 'killed'), '--json', '--concurrency', '1'], user)
  await running.event('cell.finished')
  running.child.kill('SIGKILL')
  await running.done
  const before = await rowsOf('killed')
  const resumed = await runCli([...ladder('mine', 'killed'), '--no-cold-reset'], user)
  expect([resumed.code, resumed.stderr]).toEqual([0, expect.anything()])
  const rows = await rowsOf('killed')
  expect(rows.length).toBe(4)
  expect(rows.slice(0, before.length)).toEqual(before)
  const program = join(root, 'approaches/mine.ts')
  const text = await readFile(program, 'utf8')
  await writeFile(program, `${text}// another version\n`)
  const changed = await runCli([...ladder('mine', 'killed'), '--no-cold-reset'], user)
  await writeFile(program, text)
  expect([changed.code, changed.stdout]).toEqual([4, expect.stringContaining('approach.parameters.program_sha256')])
})

it('one answer that a program does not give is one failed cell with the reason', async () => {
  const code = `import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { id, question } = JSON.parse(line)
  if (question.includes('?') && question.length % 2 === 0) process.exit(9)
  console.log(JSON.stringify({ id, answer: 'x', contexts: [] }))
}`
  await writeFile(join(root, 'approaches/frail.mjs'), code)
  await writeFile(
    join(root, 'approaches/frail.yaml'),
    'version: 1\nkind: command\ncommand: [node, approaches/frail.mjs]\n',
  )
  expect((await runCli(['trust', join(root, 'approaches/frail.yaml')], user)).code).toBe(0)
  const run = await runCli(ladder('frail', 'frail'), user)
  const rows = await rowsOf('frail')
  const dies = ({ question }: CanonicalRow) => question.query.length % 2 === 0
  expect(rows.some(dies) && !rows.every(dies)).toBe(true)
  expect(run.code).toBe(3)
  for (const row of rows)
    if (dies(row))
      expect(row).toMatchObject({
        status: 'error',
        error: { message: expect.stringContaining('the program ended (exit code 9)') as string },
      })
    else expect(row).toMatchObject({ status: 'ok', evidence: { answer: 'x' } })
})

it('a service answers by its preset, and a retriever’s passages are answered by the model of the run', async () => {
  server.script((response, request, body) => {
    const { query, message } = JSON.parse(body) as { query?: string; message?: string }
    const passage = {
      text: `A passage for ${query ?? message}`,
      title: 'd.md',
      score: 0.5,
      metadata: { title: 'd.md' },
    }
    json(
      request.url!.endsWith('vector-search')
        ? {
            results: Array.from({ length: 40 }, (_, at) => ({
              ...passage,
              text: `${passage.text} ${at} ${'word '.repeat(100)}`,
            })),
          }
        : {
            textResponse: 'An answer [1].',
            sources: [passage],
            error: null,
            metrics: { prompt_tokens: 5, completion_tokens: 6 },
          },
    )(response, request, body)
  })
  const key = ['--header', 'authorization: Bearer ${LAB_API_KEY}']
  user['LAB_API_KEY'] = 'canary-lab-key'
  for (const [name, preset] of [
    ['chat', 'anythingllm'],
    ['finder', 'anythingllm-search'],
  ] as const) {
    const added = await cli('approaches', 'add', name, '--preset', preset, '--url', server.url, ...key, 'workspace=w')
    expect([added.code, added.stderr]).toEqual([0, ''])
  }
  expect((await cli('approaches', 'test', 'chat')).stdout).toContain('Time: ')
  expect((await runCli(ladder('chat,finder', 'services'), user)).code).toBe(0)
  expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer canary-lab-key')).toBe(true)
  expect(new Set(server.requests.map(({ path }) => path))).toEqual(
    new Set(['/api/v1/workspace/w/chat', '/api/v1/workspace/w/vector-search']),
  )
  const rows = await rowsOf('services')
  expect(JSON.stringify(rows)).not.toContain('canary')
  for (const { approach, evidence, metrics } of rows)
    if (approach.model === 'chat') {
      expect(evidence).toMatchObject({ answer: 'An answer [1].', contexts: [expect.stringContaining('A passage for')] })
      expect(metrics.operational.token_usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 6 })
    } else {
      // 2,000 tokens are the budget of the run; 40 passages of 100 words are more.
      expect(evidence!.server_metrics!['context_tokens']).toBeLessThanOrEqual(2000)
      expect(evidence!.contexts.length).toBeGreaterThan(5)
      expect(evidence!.server_metrics!['llm_calls']).toBe(1)
    }
})

it('what a file or a reply lacks is reported with its file, field or path', async () => {
  const refused: [string[], string][] = [
    [['add', 'x', '--preset', 'nothing', '--url', server.url], '--preset nothing: unknown; there are'],
    [['add', 'x', '--preset', 'ragflow', '--url', server.url], 'approaches/x.yaml: settings.chat_id: missing'],
    [['add', 'x', '--preset', 'lightrag'], 'approaches/x.yaml: url: '],
    [['add', 'hybrid-rag', '--preset', 'lightrag', '--url', server.url], 'the name hybrid-rag is taken'],
    [['new', 'mine'], 'is taken'],
    [['test', 'nobody'], 'no own approach is named nobody; there are'],
    [['remove', '../manifests/models'], 'there is no '],
  ]
  for (const [args, message] of refused) {
    const result = await cli('approaches', ...args)
    expect([args, result.code, result.stderr]).toEqual([args, 2, expect.stringContaining(message)])
  }
  server.script(json({ data: { text: 'An answer' } }))
  const body = '{"q":"{{question}}"}'
  const added = await cli('approaches', 'add', 'raw', '--url', server.url, '--body', body, '--answer', 'answer')
  expect([added.code, added.stderr]).toEqual([0, ''])
  const tried = await cli('approaches', 'test', 'raw')
  expect([tried.code, tried.stdout]).toEqual([
    5,
    expect.stringMatching(/no text at answer[\s\S]*data\.text = "An answer"/),
  ])
  server.script((response) => response.end(`{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`))
  const deep = await cli('approaches', 'test', 'raw')
  expect([deep.code, deep.stdout]).toEqual([5, expect.stringContaining('no text at answer')])
  expect((await cli('approaches', 'remove', 'raw')).code).toBe(0)
  await writeFile(join(root, 'approaches/broken.yaml'), 'version: 1\nkind: command\n')
  expect((await cli('approaches', 'list')).stdout).toContain('approaches/broken.yaml cannot be used: command: missing')
  const run = await runCli(ladder('broken', 'broken'), user)
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('approaches/broken.yaml cannot be used')])
  await rm(join(root, 'approaches/broken.yaml'))
})

it('a stranger’s program and address are neither run nor called before the person has allowed them', async () => {
  const other = await smokeProject()
  try {
    await mkdir(join(other, 'approaches'))
    const command = `version: 1\nkind: command\ncontexts: false\ncommand: [node, -e, "require('fs').writeFileSync('ran', '')"]\n`
    await writeFile(join(other, 'approaches/lure.yaml'), command)
    await writeFile(
      join(other, 'approaches/call.yaml'),
      `version: 1\nkind: chat\npreset: lightrag\nurl: ${server.url}\n`,
    )
    server.requests.length = 0
    const stranger = (...args: string[]) => runCli([...args, '--project', other], user)
    for (const name of ['lure', 'call']) {
      const run = await stranger(
        'ladder',
        '--dataset',
        'smoke',
        '--models',
        name,
        '--run-id',
        'foreign',
        '--no-publish',
      )
      expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('you have not allowed it as it is now')])
      expect((await stranger('approaches', 'test', name)).stderr).toContain(
        `rag-ladder trust ${join(other, 'approaches', name)}`,
      )
    }
    expect((await stranger('plan', '--dataset', 'smoke', '--all')).stdout).toContain('smoke: 80 answers')
    const everything = await stranger(
      'ladder',
      '--dataset',
      'smoke',
      '--models',
      'bm25',
      '--run-id',
      'bm25',
      '--no-publish',
    )
    expect(everything.code).toBe(0)
    expect(server.requests).toEqual([])
    await expect(readFile(join(other, 'ran'))).rejects.toThrow('ENOENT')
    // What was allowed is the content: a changed file must be allowed again.
    const file = join(other, 'approaches/lure.yaml')
    expect((await runCli(['trust', file], user)).code).toBe(0)
    expect((await stranger('approaches', 'list')).stdout).not.toMatch(/lure .*not allowed/)
    await writeFile(file, `${command}# changed\n`)
    expect((await stranger('approaches', 'list')).stdout).toMatch(/lure .*not allowed/)
    // What is gone can still be forgotten.
    await rm(file)
    const forgotten = await runCli(['trust', '--remove', file], user)
    expect([forgotten.code, forgotten.stdout]).toEqual([0, expect.not.stringContaining('lure.yaml')])
  } finally {
    await rm(other, { recursive: true, force: true })
  }
})
