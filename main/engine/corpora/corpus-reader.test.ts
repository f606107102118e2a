import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { Question } from '../../../contract/manifests/queries.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { ControlFailure } from '../control-failure.ts'
import { listDocuments, readDocument, readQuestions } from './corpus-reader.ts'

let root: string
const question = (id: string, gold: { document: string; fact: string }[]) => Question.parse({ id, query: 'Who?', gold })
const dataset = {
  dataset: { id: 'own', corpus_path: 'corpus/own' },
  questions: [
    question('q1', [
      { document: 'a.md', fact: 'the lock opened in 1821' },
      { document: 'part/b.md', fact: 'nobody knows' },
    ]),
    question('q2', [
      { document: 'a.md', fact: 'occurs nowhere' },
      { document: 'gone.pdf', fact: 'anything' },
    ]),
  ],
} as unknown as LadderDataset
const TEXT = '# The lock\n\nThe lock opened in 1821. 😀 More.'

beforeEach(async () => {
  root = await temporaryFolder()
  await mkdir(join(root, 'corpus/own/part'), { recursive: true })
  await writeFile(join(root, 'corpus/own/a.md'), TEXT)
  await writeFile(join(root, 'corpus/own/part/b.md'), 'Nobody knows.')
  await writeFile(join(root, 'corpus/own/scan.pdf'), '%PDF')
  await writeFile(join(root, 'secret.md'), 'secret')
  await symlink(join(root, 'secret.md'), join(root, 'corpus/own/link.md'))
})

describe('listDocuments', () => {
  it('counts gold facts and questions, page by page, links left out', async () => {
    const { total, documents } = await listDocuments(root, dataset, { offset: 0, limit: 10, text: '' })
    expect(total).toBe(3)
    expect(documents).toEqual([
      { path: 'a.md', title: 'The lock', size_bytes: 47, is_text: true, gold_facts: 2, questions: 2 },
      { path: 'part/b.md', title: 'b.md', size_bytes: 13, is_text: true, gold_facts: 1, questions: 1 },
      { path: 'scan.pdf', title: 'scan.pdf', size_bytes: 4, is_text: false, gold_facts: 0, questions: 0 },
    ])
    const second = await listDocuments(root, dataset, { offset: 1, limit: 1, text: '' })
    expect(second.documents.map(({ path }) => path)).toEqual(['part/b.md'])
  })

  it('finds documents by words of their paths, in any case and order, and counts all of them', async () => {
    const found = await listDocuments(root, dataset, { offset: 0, limit: 1, text: ' MD part' })
    expect(found).toMatchObject({ total: 3, matching: 1, offset: 0, documents: [{ path: 'part/b.md' }] })
    expect((await listDocuments(root, dataset, { offset: 1, limit: 1, text: 'md' })).matching).toBe(2)
    expect(await listDocuments(root, dataset, { offset: 0, limit: 9, text: 'ferry' })).toMatchObject({
      matching: 0,
      documents: [],
    })
  })
})

describe('readDocument', () => {
  it('gives text in slices that keep characters whole, with gold facts in place', async () => {
    const slice = await readDocument(root, dataset, { path: 'a.md', offset: 0, limit: TEXT.indexOf('😀') + 1 })
    expect(slice).toMatchObject({
      text: TEXT.slice(0, TEXT.indexOf('😀')),
      total: TEXT.length,
      next_offset: TEXT.indexOf('😀'),
      lost_gold: [{ question_id: 'q2', fact: 'occurs nowhere' }],
    })
    if (!slice.is_text) throw new Error('no text')
    expect(slice.gold.map(({ start, end }) => TEXT.slice(start, end))).toEqual(['The lock opened in 1821'])
    const rest = await readDocument(root, dataset, { path: 'a.md', offset: slice.next_offset!, limit: 100 })
    expect(rest).toMatchObject({ text: '😀 More.', next_offset: null })
  })

  it('reports why a document is not shown', async () =>
    expect(await readDocument(root, dataset, { path: 'scan.pdf', offset: 0, limit: 9 })).toMatchObject({
      is_text: false,
      reason: 'only a converter can read this kind of file',
    }))

  it.each(['../../secret.md', 'link.md', '/etc/passwd', 'part', 'part/../../own/a.md', 'a\u0000.md', 'none.md'])(
    'does not leave the corpus folder: %j',
    async (path) => {
      const error: unknown = await readDocument(root, dataset, { path, offset: 0, limit: 9 }).catch(
        (caught: unknown) => caught,
      )
      expect(error).toBeInstanceOf(ControlFailure)
      expect((error as ControlFailure).error.code).toBe('not_found')
    },
  )
})

it('readQuestions locates every fact, and leaves those without a place empty', async () => {
  const { total, questions } = await readQuestions(root, dataset, { offset: 0, limit: 10 })
  expect(total).toBe(2)
  expect(questions.map(({ gold }) => gold.map(({ spans }) => spans.length))).toEqual([
    [1, 1],
    [0, 0],
  ])
  expect(questions.flatMap(({ gold }) => gold.map(({ is_text: isText }) => isText))).toEqual([true, true, true, false])
  const single = await readQuestions(root, dataset, { offset: 0, limit: 1, question_id: 'q2' })
  expect(single.questions.map((each) => each.question.id)).toEqual(['q2'])
})
