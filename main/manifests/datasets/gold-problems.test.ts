import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { GoldEvidence } from '../../../contract/manifests/queries.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { loadExperiment, type LadderDataset } from '../experiment.ts'
import { goldProblems } from './gold-problems.ts'

const { datasets } = await loadExperiment(PROJECT_ROOT)
const smoke = datasets.find(({ dataset }) => dataset.id === 'smoke')!

const withGold = (...gold: { document: string; fact?: string }[]): LadderDataset => ({
  ...smoke,
  questions: [{ ...smoke.questions[0]!, id: 'q-7', gold }],
})

it.each(datasets)('all gold facts of $dataset.id are in their documents', async (dataset) => {
  expect(await goldProblems(PROJECT_ROOT, dataset)).toEqual([])
})

it('a gold fact that its document does not hold is reported with the question and the nearest passage', async () => {
  const root = await temporaryFolder('gold')
  await mkdir(join(root, 'corpus/smoke'), { recursive: true })
  await writeFile(
    join(root, 'corpus/smoke/a.md'),
    '# Harbour\n\nThe lock opens at six.\nThe **keeper** is\nIda Moore.\n',
  )
  const fact = 'The lock opens at seven.'
  expect(
    await goldProblems(
      root,
      withGold(
        { document: 'a.md', fact: 'the keeper is Ida Moore' },
        { document: 'a.md', fact },
        { document: 'b.md', fact },
      ),
    ),
  ).toEqual([
    `question q-7: a.md does not hold the fact "${fact}". The nearest passage is "The lock opens at six.". Copy the fact from the document`,
    'question q-7: b.md is not in corpus/smoke: add the document or correct its name',
  ])
})

it('gold evidence may be a document or a passage of any length, and both are checked', async () => {
  const root = await temporaryFolder('gold')
  await mkdir(join(root, 'corpus/smoke'), { recursive: true })
  const passage = Array.from({ length: 2000 }, (_, index) => `sentence ${index}.`).join(' ')
  await writeFile(join(root, 'corpus/smoke/a.md'), `# Long\n\n${passage}\n`)
  const gold = [{ document: 'a.md' }, { document: 'a.md', fact: passage }]
  expect(gold.map((each) => GoldEvidence.safeParse(each).success)).toEqual([true, true])
  expect(await goldProblems(root, withGold(...gold))).toEqual([])
  const [lost, absent] = await goldProblems(
    root,
    withGold({ document: 'a.md', fact: `x ${passage}` }, { document: 'b.md' }),
  )
  expect([lost!.length < 800, lost]).toEqual([
    true,
    expect.stringMatching(/^question q-7: a\.md does not hold the fact/),
  ])
  expect(absent).toBe('question q-7: b.md is not in corpus/smoke: add the document or correct its name')
})

it('a long list of problems ends with how many are left out', async () => {
  const root = await temporaryFolder('gold')
  const gold = Array.from({ length: 25 }, (_, index) => ({ document: `${index}.md`, fact: 'x' }))
  const problems = await goldProblems(root, withGold(...gold))
  expect(problems).toHaveLength(21)
  expect(problems.at(-1)).toBe('and 5 other gold facts')
})
