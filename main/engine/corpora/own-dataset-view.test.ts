import { hash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { IngestionRecord } from '../../../contract/http/ingestion.ts'
import { OwnDatasetFile, ownDatasetOf } from '../../../contract/manifests/datasets.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { nameButtonsInRemedies } from '../../../core/remedy.ts'
import { keepDocumentWarnings } from '../../runner/ingestion/document-warnings.ts'
import { checkDataset } from './own-dataset-view.ts'

/** A dataset of twelve questions, each on the document that `documentOf` names. */
async function checked(documentOf: (question: number) => string) {
  const root = await temporaryFolder()
  const folder = join(root, 'datasets/mine/documents')
  await mkdir(folder, { recursive: true })
  const questions = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const document = documentOf(index)
      await writeFile(join(folder, document), 'The lock opens at six.')
      return { id: `q-${index}`, query: `Question ${index}?`, gold: [{ document, fact: 'opens at six' }] }
    }),
  )
  const file = OwnDatasetFile.parse({ version: 1, label: 'Mine', questions })
  return checkDataset(root, { ...ownDatasetOf('mine', file), declaredIn: 'datasets/mine/dataset.yaml' })
}

describe('the check of a dataset', () => {
  it('names the difference that its questions can decide, on few documents too', async () => {
    const { problems, planned_difference: planned } = await checked((question) => `${question}.md`)
    expect(problems).toEqual([])
    expect(planned.alone).toBeGreaterThan(0.2)
    expect(planned.alone).toBeLessThan(0.4)
  })

  it('claims no such difference where all questions rest on one passage', async () => {
    expect((await checked(() => 'lock.md')).planned_difference).toMatchObject({ alone: null, groups: 4 })
  })

  it('lists what the last ingestion left out of documents that are still the same', async () => {
    const root = await temporaryFolder()
    const folder = join(root, 'datasets/mine/documents')
    await mkdir(folder, { recursive: true })
    const sha256 = hash('sha256', 'bytes')
    for (const name of ['book.xlsx', 'changed.docx']) await writeFile(join(folder, name), 'bytes')
    const document_warnings = ['book.xlsx', 'changed.docx', 'gone.pdf'].map((file) => ({
      file,
      sha256,
      message: 'left out',
    }))
    const record = IngestionRecord.parse({
      id: 'j',
      profile: 'mine',
      revision: 'r',
      status: 'completed',
      content_digest: 'd',
      phases: [{ name: 'parse', status: 'completed', document_warnings }],
    })
    const events: RunEvent[] = []
    nameButtonsInRemedies()
    onTestFinished(() => nameButtonsInRemedies(false))
    await keepDocumentWarnings(root, 'mine', record, (event) => events.push(event))
    const first = '3 documents of mine read with a warning, first book.xlsx: left out'
    expect(events).toMatchObject([{ message: `${first}. The tab Check of the dataset lists them` }])
    await writeFile(join(folder, 'changed.docx'), 'other bytes')
    const file = OwnDatasetFile.parse({ version: 1, label: 'Mine', questions: [] })
    const { warnings } = await checkDataset(root, {
      ...ownDatasetOf('mine', file),
      declaredIn: 'datasets/mine/dataset.yaml',
    })
    expect(warnings).toEqual([{ place: 'book.xlsx', message: 'left out' }])
  })

  it('warns of questions on which retrieval or answers cannot be scored', async () => {
    const root = await temporaryFolder()
    await mkdir(join(root, 'datasets/mine/documents'), { recursive: true })
    await writeFile(join(root, 'datasets/mine/documents/lock.md'), 'The lock opens at six.')
    const question = { query: 'When does the lock open?', ground_truth: 'At six.' }
    const warningsOf = async (questions: object[]) => {
      const file = OwnDatasetFile.parse({ version: 1, label: 'Mine', questions })
      const dataset = { ...ownDatasetOf('mine', file), declaredIn: 'datasets/mine/dataset.yaml' }
      return (await checkDataset(root, dataset)).warnings
    }
    const keys = { answer_keys: [['six']] }
    expect(await warningsOf([{ ...question, ...keys, id: 'a' }])).toEqual([
      { place: 'questions', message: 'no question has gold evidence: retrieval cannot be scored, only answers can' },
    ])
    const gold = [{ document: 'lock.md' }]
    expect(
      await warningsOf([
        { ...question, ...keys, id: 'a' },
        { ...question, id: 'b', gold },
        { id: 'c', query: 'Who paints the gate?', answerable: false },
      ]),
    ).toEqual([
      { place: 'questions', message: '1 question without gold evidence: retrieval is not scored on a' },
      {
        place: 'questions',
        message:
          '1 question without answer keys: only token F1, the words that an answer shares with the expected one, says whether it is right (b)',
      },
    ])
    expect(await warningsOf([{ ...question, ...keys, id: 'a', gold }])).toEqual([])
    expect(await warningsOf([])).toEqual([])
  })

  it('warns where two gold facts of a question hold all of its answer keys, so that a wrong answer can count as right', async () => {
    const root = await temporaryFolder()
    const folder = join(root, 'datasets/mine/documents')
    await mkdir(folder, { recursive: true })
    const facts = [
      'Reef Harbour sends its boats to the north dock.',
      'The north dock belongs to Reef Line.',
      'It is red.',
    ]
    await writeFile(join(folder, 'docks.md'), facts.join(' '))
    const gold = facts.slice(0, 2).map((fact) => ({ document: 'docks.md', fact }))
    const question = { query: 'Who owns the dock that repairs the boats?', gold }
    const file = OwnDatasetFile.parse({
      version: 1,
      label: 'Mine',
      questions: [
        { ...question, id: 'a', answer_keys: [['Reef']] },
        { ...question, id: 'b', query: 'And who owns it?', answer_keys: [['Reef Line']] },
        { ...question, id: 'c', query: 'Of what colour?', answer_keys: [['Reef'], ['red']] },
      ],
    })
    const { warnings } = await checkDataset(root, { ...ownDatasetOf('mine', file), declaredIn: 'mine.yaml' })
    expect(warnings).toEqual([
      {
        place: 'questions',
        message:
          '1 question has all of its answer keys in more than one gold fact, so an answer that names another step can count as right: a. Write longer keys, or name the other step in forbidden_answers',
      },
    ])
  })

  it('reports documents without text', async () => {
    const root = await temporaryFolder()
    const folder = join(root, 'datasets/mine/documents')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'blank.md'), ' \n\t\n')
    await writeFile(join(folder, 'empty.txt'), '')
    await writeFile(join(folder, 'lock.md'), 'The lock opens at six.')
    const file = OwnDatasetFile.parse({ version: 1, label: 'Mine', questions: [] })
    const { problems } = await checkDataset(root, {
      ...ownDatasetOf('mine', file),
      declaredIn: 'datasets/mine/dataset.yaml',
    })
    expect(problems.filter(({ kind }) => kind === 'document').map(({ place, message }) => [place, message])).toEqual([
      ['blank.md', 'the document has no text'],
      ['empty.txt', 'the document has no text'],
    ])
  })
})
