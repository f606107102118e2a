import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { readOwnDataset } from '../own-datasets.ts'
import { importLines } from './import-dataset.ts'
import { BEIR, HOTPOT, useImportSource } from '../../../../tests/helpers/import-source.ts'

const { place, write, bring, questions } = useImportSource()

describe('a source as the world has it', () => {
  it('BEIR: a judged document that is missing leaves the question its others, and a question without any is left out', async () => {
    await write({ ...BEIR, 'qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1\td2\t1\nq1\tgone\t1\nq2\tgone\t1\n' })
    expect(await bring()).toMatchObject({
      questions: { taken: 1, of: 2 },
      withGold: 1,
      leftOut: expect.arrayContaining([
        { count: 2, reason: 'gold documents: not in the source, or without text' },
        { count: 1, reason: 'questions: a gold document is not in the source, or has no text' },
      ]),
    })
  })

  it('is read from compressed files, and from links as the cache of a model hub has them', async () => {
    const blobs = await temporaryFolder('blobs')
    await mkdir(join(place.source, 'qrels'))
    for (const [name, text] of Object.entries(BEIR)) {
      const blob = join(blobs, name.replaceAll('/', '-'))
      await writeFile(blob, gzipSync(text))
      await symlink(blob, join(place.source, `${name}.gz`))
    }
    expect(await bring()).toMatchObject({ questions: { taken: 2 }, documents: { taken: 3 } })
    await writeFile(join(place.source, 'broken.jsonl.gz'), 'no gzip')
    await rm(join(place.source, 'corpus.jsonl.gz'))
    await expect(bring({ id: 'other' })).rejects.toThrow('broken.jsonl.gz: cannot be unpacked')
  })

  it('BEIR: keeps the hops that the metadata of a question state', async () => {
    const [first, ...rest] = BEIR['queries.jsonl'].trim().split('\n')
    const withHops = JSON.stringify({ ...(JSON.parse(first!) as object), metadata: { hops: 5 } })
    await write({ ...BEIR, 'queries.jsonl': [withHops, ...rest].join('\n') })
    await bring()
    const { file } = await readOwnDataset(place.root, 'mine')
    expect(file.questions.map(({ hops }) => hops).toSorted()).toEqual([5, null])
  })

  it('is named after its folder and not after the form that its files have, which other datasets have too', async () => {
    await write(BEIR)
    const summary = await bring()
    const name = basename(place.source)
    expect(importLines(summary).slice(0, 3)).toEqual([
      `datasets/mine/: ${name}, 2 questions of 2, 3 documents of 5`,
      'Read as BEIR',
      'Left out: 1 documents: the same title and text as another one',
    ])
    const { file } = await readOwnDataset(place.root, 'mine')
    expect([file.label, file.licence, file.imported_from?.url]).toEqual([name, undefined, undefined])
    expect(file.description).toBe(`Imported from ${name} in the form of BEIR: 2 of 2 questions, 3 of 5 documents.`)
  })

  it('names the dataset after its folder, and says when retrieval cannot be scored', async () => {
    await write({ 'questions.csv': 'question,answer\nWho?,Ida\n', 'documents/lock.md': 'Ida keeps the lock.' })
    const summary = await bring()
    expect((await readOwnDataset(place.root, 'mine')).file.label).toBe(basename(place.source))
    expect(importLines(summary)).toContain(
      'Warning: no question has gold evidence: retrieval cannot be scored, only answers can.',
    )
  })

  it('SQuAD: counts code points, as its authors do; an answer that is elsewhere leaves the question out', async () => {
    const context = '🚂🚂🚂🚂🚂🚂🚂🚂 The weir is old. It was built in 1931. It has two gates.'
    const at = Array.from(context.slice(0, context.indexOf('1931'))).length
    const asked = (id: string, start: number) => ({
      id,
      question: `${id}?`,
      answers: [{ text: '1931', answer_start: start }],
    })
    const data = [{ title: 'Weir', paragraphs: [{ context, qas: [asked('s1', at), asked('s2', at + 9)] }] }]
    await write({ 'dev.json': JSON.stringify({ data }) })
    expect(await bring()).toMatchObject({
      questions: { taken: 1 },
      leftOut: [{ count: 1, reason: 'questions: answer_start does not point to the answer' }],
    })
    expect((await questions())[0]!.gold).toEqual([{ document: 'Weir 1.md', fact: 'It was built in 1931.' }])
  })

  it('HotpotQA: counts supporting facts whose sentence does not exist', async () => {
    const [[title]] = HOTPOT.supporting_facts as [[string, number]]
    const record = { ...HOTPOT, supporting_facts: [...HOTPOT.supporting_facts, [title, 99]] }
    await write({ 'hotpot.json': JSON.stringify([record]) })
    expect((await bring()).leftOut).toEqual([
      { count: 1, reason: 'gold facts: their paragraph has no sentence of that number' },
    ])
  })

  it('a folder: finds a document by the path of Windows and by the decomposed name of macOS', async () => {
    await write({
      'questions.csv': 'question,document,fact\nWho?,sub\\Mühle.md,Ida keeps it.\n',
      [`documents/sub/${'Mühle'.normalize('NFD')}.md`]: 'Ida keeps it.',
    })
    await bring()
    expect((await questions())[0]!.gold).toEqual([{ document: 'sub/Mühle.md', fact: 'Ida keeps it.' }])
  })
})
