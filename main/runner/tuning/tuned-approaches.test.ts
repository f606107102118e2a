import { expect, it } from 'vitest'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { Question } from '../../../contract/manifests/queries.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import type { Experiment, LadderDataset } from '../../manifests/experiment.ts'
import { recordSplit, recordWinner } from './holdout-ledger.ts'
import { toDivide } from './plan-tuning.ts'
import { tunedApproaches } from './tuned-approaches.ts'

const NOW = new Date('2026-11-29T00:00:00Z')
const chunker = { chunk_size: 800, overlap: 100 }
const mine = {
  alias: 'mine',
  base: 'own-approach',
  flavor: { parameters: { settings: { depth: 2 } } },
} as unknown as Alias
const questionsOf = (edit: (id: string) => object = () => ({})): Question[] =>
  Array.from({ length: 20 }, (_, at) => `q${at}`).map((id) =>
    Question.parse({ id, query: `What is ${id}?`, gold: [{ document: `${id}.md`, fact: id }], ...edit(id) }),
  )
const datasetOf = (questions: Question[]): LadderDataset =>
  ({ dataset: { id: 'notes' }, profile: { chunker }, questions }) as unknown as LadderDataset

it('counts the questions of a run by what they ask, and names those that were edited since a tuning divided them', async () => {
  const root = await temporaryFolder()
  const experiment = { root, consumer: {} } as unknown as Experiment
  const split = { dataset: 'notes', questions: toDivide(questionsOf()), seed: '1', share: 0.5, now: NOW }
  const {
    development: [edited, replaced, swapped],
    holdout: [held],
  } = await recordSplit(root, split)
  const parameters = { depth: 2 }
  const winner = { dataset: 'notes', tuning: 't', alias: 'mine', base: 'own-approach', parameters, chunks: chunker }
  await recordWinner(root, { ...winner, settings: 9, state: 'confirmed', existing: [] }, NOW)
  const tuned = async (questions: Question[]) => (await tunedApproaches(experiment, datasetOf(questions), [mine]))[0]
  const asSealed = await tuned(questionsOf())
  expect(asSealed).toMatchObject({ development: 10, holdout: 10 })
  expect(asSealed).not.toHaveProperty('edited')
  const other = { gold: [{ document: 'new.md', fact: 'new' }] }
  const changes: Record<string, object> = {
    [edited!]: { query: 'In other words?' },
    [replaced!]: { query: 'Something else?', ...other },
    // A question of the holdout that now has the words of one of development.
    [held!]: { query: `What is ${swapped!}?`, ...other },
  }
  expect(await tuned(questionsOf((id) => changes[id] ?? {}))).toMatchObject({
    development: 10,
    holdout: 9,
    edited: expect.arrayContaining([
      { id: edited, change: 'text' },
      { id: replaced, change: 'replaced' },
      { id: held, change: 'replaced' },
    ]) as unknown,
  })
})
