import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { type CliResult } from '../helpers/cli-in-process.ts'

// Wrong data of one dataset is named in full and keeps no other dataset out of the plan.

let root = ''
beforeAll(async () => {
  root = await smokeProject()
  const smoke = await readFile(join(root, 'manifests/datasets/smoke.yaml'), 'utf8')
  const onRung = (level: number): string => smoke.replace('complexity_level: 0', `complexity_level: ${level}`)
  const write = (id: string, text: string): Promise<void> =>
    writeFile(join(root, 'manifests/datasets', `${id}.yaml`), text)
  await write('first', onRung(1).replace('was opened in May 1904', 'was opened in May 1905'))
  await write('second', onRung(2).replace('documents: corpus/smoke', 'documents: corpus/elsewhere'))
  await write('third', onRung(3))
  await write('fourth', `${onRung(4)}  - { id: sm-05, query: `)
})
afterAll(() => rm(root, { recursive: true, force: true }))

const plan = (...more: string[]): Promise<CliResult> => runCli(['plan', '--project', root, ...more])
const words = (text: string): string => text.replace(/\s+/g, ' ')

it('plan names what is wrong with each dataset, plans the others, and ends as bad input', async () => {
  const planned = await plan()
  expect(planned.code).toBe(2)
  expect(words(planned.stdout)).toContain('third: 28 answers, 0 reused, 28 to call')
  expect(planned.stdout).not.toMatch(/(?:first|second|fourth): \d+ answers/)
  expect(planned.stdout).not.toContain('--no-cold-reset')
  const reported = words(planned.stderr)
  expect(reported).toMatch(/question sm-01: tidewater-lock\.md does not hold the fact .* The nearest passage is /)
  expect(reported).toContain('second.corpus_path: corpus/elsewhere is not a folder')
  expect(reported).toContain('fourth is left out: manifests/datasets/fourth.yaml cannot be used')
})

it('plan --json prints the datasets that can be run, one line each, and reports the others on the error stream', async () => {
  const planned = await plan('--json')
  expect([planned.code, planned.events.map((line) => line['dataset_id'])]).toEqual([2, ['third']])
  expect(words(planned.stderr)).toContain('second.corpus_path: corpus/elsewhere is not a folder')
})

it('plan of a dataset that can be run ends well beside files that cannot be used', async () => {
  const planned = await plan('--dataset', 'third')
  expect([planned.code, planned.stderr]).toEqual([0, ''])
  expect(words(planned.stdout)).toContain('third: 28 answers')
})

it('plan warns of a model set that no run can start with, once', async () => {
  const planned = await runCli(['plan', '--project', root, '--dataset', 'third', '--model-set', 'openai'], {
    OPENAI_API_KEY: '',
  })
  expect(planned.code).toBe(0)
  expect(
    words(planned.stderr).match(/no run can start with this model set: .*?OPENAI_API_KEY is not set/g),
  ).toHaveLength(1)
})

it('plan counts what ladder does unless --no-cold-reset: answers that are stored are made again', async () => {
  const run = [
    '--project',
    root,
    '--dataset',
    'third',
    '--run-id',
    'stored',
    '--models',
    'bm25,vanilla-rag',
    '--no-evaluate',
  ]
  const ladder = ['ladder', ...run, '--models', 'bm25', '--no-cold-reset', '--no-publish']
  expect((await runCli(ladder)).code).toBe(0)
  const planned = await runCli(['plan', ...run])
  expect([planned.code, words(planned.stdout)]).toEqual([
    0,
    expect.stringContaining('third: 8 answers, 0 reused, 8 to call'),
  ])
  expect(words(planned.stdout)).toContain(
    'third: the cold reset moves stored answers to the trash; with --no-cold-reset: 4 reused, 4 to call',
  )
  const kept = await runCli(['plan', ...run, '--no-cold-reset'])
  expect(words(kept.stdout)).toContain('third: 8 answers, 4 reused, 4 to call')
  expect(kept.stdout).not.toContain('cold reset')
  const other = await runCli(['plan', ...run, '--context-budget', '500'])
  expect([other.code, words(other.stdout)]).toEqual([0, expect.stringContaining('--no-cold-reset would refuse them')])
})
