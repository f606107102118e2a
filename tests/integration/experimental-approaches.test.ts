import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { rowsOf } from '../helpers/ladder-run.ts'
import { startModelService, type ModelService } from '../helpers/model-service.ts'

const EXPERIMENTAL = ['hyde-rag', 'multi-query-rag', 'raptor-rag']

let root: string
let service: ModelService

/** Writes what each prompt asks for. */
function replyTo(prompt: string): string {
  if (prompt.includes('passage that could answer')) return 'The sluice gate of the harbour is kept by its keeper.'
  if (prompt.includes('other search queries')) return 'Keeper of the gate\nWho looks after the sluice?'
  return prompt.includes('<member>') ? 'A summary of what these texts have in common.' : 'An answer [1].'
}

/** Chat calls whose prompt has a part. */
const chats = (part: string): number =>
  service.calls.filter(({ path, body }) => path === '/v1/chat/completions' && JSON.stringify(body).includes(part))
    .length
const ladder = (set: string, ...more: string[]) =>
  runCli(
    [
      'ladder',
      '--dataset',
      'smoke',
      '--models',
      ['hybrid-rag', ...EXPERIMENTAL].join(','),
      '--model-set',
      set,
      ...more,
    ].concat(['--project', root, '--no-publish', '--no-evaluate', '--run-id', `with-${set}`]),
  )

beforeAll(async () => {
  service = await startModelService(({ path, body }) => {
    if (path !== '/v1/chat/completions') return { status: 404, json: {} }
    const message = { role: 'assistant', content: replyTo(JSON.stringify(body)) }
    const usage = { prompt_tokens: 300, completion_tokens: 20, total_tokens: 320 }
    const head = { id: 'x', object: 'chat.completion', created: 0, model: 'scripted' }
    return { json: { ...head, choices: [{ index: 0, message, finish_reason: 'stop' }], usage } }
  })
  root = await smokeProject()
  const builtin = (model: string) => ({ backend: 'builtin', model })
  const roles = {
    embed: builtin('hashed-768'),
    evaluator_embed: builtin('hashed-768'),
    rerank: builtin('lexical-reranker'),
  }
  await mkdir(join(root, '.rag-ladder'), { recursive: true })
  await writeFile(
    join(root, '.rag-ladder/models.yaml'),
    stringify({
      version: 2,
      connections: { local: { kind: 'compatible', base_url: `${service.url}/v1` } },
      sets: { scripted: { default: { connection: 'local', model: 'scripted' }, roles } },
    }),
  )
})
afterAll(async () => {
  await service.close()
  await rm(root, { recursive: true, force: true })
})

it('a run with rules is refused before its first call, with every approach that needs a model and what to do', async () => {
  const refused = await ladder('builtin')
  expect(refused.code).toBe(2)
  for (const alias of EXPERIMENTAL) expect(refused.stderr).toContain(`${alias} needs a language model for `)
  expect(refused.stderr).toContain('choose another set (--model-set)')
  expect(service.calls).toEqual([])
})

it('a run with a language model asks them like the others, and builds the tree once', async () => {
  const run = await ladder('scripted', '--context-budget', '200')
  expect([run.code, run.stderr]).toEqual([0, expect.not.stringContaining('failed')])
  expect(run.stdout).toContain('(experimental)')
  const rows = await rowsOf(join(root, 'results/with-scripted-smoke-evidence.jsonl'))
  for (const alias of EXPERIMENTAL) {
    const own = rows.filter(({ approach }) => approach.model === alias)
    expect(own.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
    for (const { evidence } of own) expect(evidence!.server_metrics!.context_tokens).toBeLessThanOrEqual(200)
  }
  const of = (alias: string) => rows.find(({ approach }) => approach.model === alias)!.evidence!
  expect(of('hyde-rag').approach_metadata).toMatchObject({ experimental: true, searched_with: [expect.any(String)] })
  expect(of('multi-query-rag').derivations).toContainEqual(
    expect.objectContaining({ artefact: 'query', prompt: expect.stringMatching(/^rephrase \(v1\) /) }),
  )
  expect(of('raptor-rag').derivations).toContainEqual(
    expect.objectContaining({ artefact: 'tree', prompt: expect.stringMatching(/^cluster summary \(v1\) /) }),
  )
  const summaries = chats('<member>')
  expect(summaries).toBeGreaterThan(0)
  const before = chats('')
  expect((await ladder('scripted', '--context-budget', '200', '--no-cold-reset')).code).toBe(0)
  expect([chats(''), chats('<member>')]).toEqual([before, summaries])
})
