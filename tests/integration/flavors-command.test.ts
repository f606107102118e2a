import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli, smokeProject } from '../helpers/cli.ts'

let root: string
const cli = (...args: string[]) => runCli([...args, '--project', root])
const ladder = (models: string) =>
  cli('ladder', '--dataset', 'smoke', '--models', models, '--run-id', 'own', '--no-publish')

beforeAll(async () => {
  root = await smokeProject()
})
afterAll(() => rm(root, { recursive: true, force: true }))

it('adds a flavor with what differs from its alias, and reports exactly what cannot be used', async () => {
  const { code, stdout } = await cli('flavors', 'list', 'hybrid-rag')
  expect(code).toBe(0)
  expect(stdout).toMatch(/top_n=5 .* Whole number, 1 to 200\./)
  expect(await cli('flavors', 'add', 'hybrid-k2', '--from', 'hybrid-rag', 'top_n=2', 'rerank=false')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('retrieve_k=20 top_n=2 alpha=0.5 rerank=false') as string,
  })
  const written = await readFile(join(root, '.rag-ladder/flavors.yaml'), 'utf8')
  const refused: [string[], string][] = [
    [['add', 'hybrid-rag', '--from', 'hybrid-rag'], 'the alias hybrid-rag belongs to the project'],
    [['add', 'wide', '--from', 'hybrid-rag'], 'flavors.wide: wide is a name of the project'],
    [['add', 'x', '--from', 'hybrid-rag', 'alpha=2'], 'flavors.x.parameters.alpha: at most 1 is allowed'],
    [['add', 'x', '--from', 'hybrid-rag', 'rerank=perhaps'], 'flavors.x.parameters.rerank: '],
    [['add', 'x', '--from', 'hybrid-rag', 'k=3'], 'k=3: expected PARAMETER=VALUE with a parameter of hybrid-rag'],
    [['add', 'x', '--from', 'workflow-adaptive-rag'], 'adaptive has no parameters that a flavor could set'],
    [['add', 'x', '--from', 'nothing'], 'no alias is named nothing'],
    [['add', 'a b', '--from', 'hybrid-rag'], 'invalid name a b'],
    [['remove', 'bm25'], 'bm25 belongs to the project'],
    [['remove', 'other'], 'no flavor of yours is named other; there are hybrid-k2'],
  ]
  for (const [args, message] of refused) {
    const result = await cli('flavors', ...args)
    expect([result.code, result.stderr]).toEqual([2, expect.stringContaining(message)])
  }
  expect(await readFile(join(root, '.rag-ladder/flavors.yaml'), 'utf8')).toBe(written)
})

it('takes a prompt from a file, which starts from the printed one, and names the line of what cannot be used', async () => {
  const file = join(root, 'answer.txt')
  const { stdout } = await cli('flavors', 'prompt', 'answer')
  await writeFile(file, stdout.replace('Be brief:', 'Be very brief:'))
  const add = (name: string, prompt: string) => cli('flavors', 'add', name, '--from', 'vanilla-rag', '--prompt', prompt)
  expect(await add('vanilla-brief', `answer=${file}`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('lines)') as string,
  })
  expect(await readFile(join(root, '.rag-ladder/flavors.yaml'), 'utf8')).toContain('Be very brief:')
  await writeFile(file, 'Answer <question> from <passage>\nand <document>, or {no_answer}')
  const refused: [string, string][] = [
    [`answer=${file}`, `${file}: line 2: <document> is unknown`],
    [`answer=${file}.missing`, 'cannot read'],
    [`agent=${file}`, '--prompt agent: vanilla-rag has no prompt of that name'],
    [`critic=${file}`, 'no prompt that a flavor can replace is named critic; there are answer, agent'],
    ['answer', '--prompt answer: expected NAME=FILE'],
  ]
  for (const [prompt, message] of refused)
    expect(await add('x', prompt)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) as string })
})

it('runs a flavor beside its alias; another flavor closes no run, and a changed one is refused for its own cells', async () => {
  expect(await ladder('hybrid-rag,hybrid-k2')).toMatchObject({ code: 0 })
  const rows = (await readFile(join(root, 'results/own-smoke-evidence.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line.includes('"approach"'))
    .map(
      (line) => JSON.parse(line) as { approach: { model: string; parameters: object }; result: { sources: unknown[] } },
    )
  const own = rows.filter(({ approach }) => approach.model === 'hybrid-k2')
  expect(own.map(({ approach }) => approach)).toEqual(
    own.map(
      () =>
        expect.objectContaining({
          base_model: 'hybrid-rag',
          flavor: 'hybrid-k2',
          parameters: { retrieve_k: 20, top_n: 2, alpha: 0.5, rerank: false },
        }) as unknown,
    ),
  )
  expect(own).toHaveLength(4)

  await cli('flavors', 'add', 'graph-short', '--from', 'graph-rag', 'top_k=2')
  const plan = (models: string) =>
    cli('plan', '--dataset', 'smoke', '--models', models, '--run-id', 'own', '--no-cold-reset')
  expect((await plan('hybrid-rag,hybrid-k2')).stdout).toContain('8 answers, 8 reused, 0 to call')
  await cli('flavors', 'add', 'hybrid-k2', '--from', 'hybrid-rag', 'top_n=3', 'rerank=false')
  const conflict = await plan('hybrid-rag,hybrid-k2')
  expect(conflict.stdout + conflict.stderr).toContain('approach.parameters.top_n: stored 2, now 3 (4 rows)')
  expect((await cli('flavors', 'remove', 'hybrid-k2')).code).toBe(0)
  expect((await plan('hybrid-rag,hybrid-k2')).stderr).toContain('unknown alias: hybrid-k2')
})
