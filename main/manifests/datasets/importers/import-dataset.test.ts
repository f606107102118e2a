import { rmSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ownDatasetOf } from '../../../../contract/manifests/datasets.ts'
import { goldProblems } from '../gold-problems.ts'
import { readOwnDataset } from '../own-datasets.ts'
import { BEIR, HOTPOT, lines, useImportSource } from '../../../../tests/helpers/import-source.ts'

const { place, write, bring, questions, documents } = useImportSource()

const paragraph = (idx: number, title: string, text: string, isSupporting: boolean) => ({
  idx,
  title,
  paragraph_text: text,
  is_supporting: isSupporting,
})
const musique = (id: string, answerable: boolean, ...texts: string[]) => ({
  id,
  paragraphs: [
    paragraph(0, 'Weir', `The weir ${texts[0]}.`, answerable),
    paragraph(1, 'Weir', `Its keeper ${texts[1]}.`, answerable),
    paragraph(2, 'Fee', `A fee of ${id}.`, false),
  ],
  question: `Who keeps ${id}?`,
  question_decomposition: [
    { id: 1, question: 'a', answer: 'b', paragraph_support_idx: 0 },
    { id: 2, question: 'c', answer: 'd', paragraph_support_idx: answerable ? 1 : null },
  ],
  answer: 'Ida Moore',
  answer_aliases: ['Moore', 'Ida Moore'],
  answerable,
})

describe('a public format', () => {
  it('BEIR: judged documents are gold, those of the same text are one, other splits stay out', async () => {
    await write(BEIR)
    expect(await bring()).toMatchObject({
      format: { id: 'beir' },
      questions: { taken: 2, of: 2 },
      documents: { taken: 3, of: 5 },
      leftOut: [
        { count: 1, reason: 'documents: the same title and text as another one' },
        { count: 1, reason: 'documents: without text' },
      ],
    })
    expect(await documents()).toEqual(['Alder Weir-2.md', 'Alder Weir.md', 'CON-.md'])
    expect((await questions()).map(({ id, gold }) => [id, gold])).toEqual([
      ['q1', [{ document: 'Alder Weir.md' }]],
      ['q2', [{ document: 'Alder Weir-2.md' }]],
    ])
    await bring({ id: 'other', split: 'train' })
    expect((await readOwnDataset(place.root, 'other')).file.questions.map(({ id }) => id)).toEqual(['q3'])
    await expect(bring({ id: 'third', split: 'dev' })).rejects.toThrow('no split "dev": expected one of test, train')
  })

  it('HotpotQA: supporting sentences are gold facts, names of files are safe', async () => {
    const missing = { ...HOTPOT, _id: 'h2', question: 'Other?', supporting_facts: [['Nowhere', 0]] }
    await write({
      'hotpot_dev_fullwiki_v1.json': `\uFEFF${JSON.stringify([HOTPOT, missing], null, 2).replaceAll('\n', '\r\n')}`,
    })
    expect(await bring()).toMatchObject({
      format: { id: 'hotpotqa', licence: 'CC BY-SA 4.0' },
      leftOut: [{ count: 1, reason: 'questions: a gold paragraph is not among the paragraphs of the file' }],
    })
    expect(await documents()).toEqual(['Alder Weir.md', 'Ida Moore.md', 'Leeds Bradford an airport.md'])
    expect(await questions()).toMatchObject([
      {
        id: 'h1',
        ground_truth: 'Leeds',
        hops: 2,
        answer_keys: [['Leeds']],
        tags: ['bridge', 'hard'],
        gold: [
          { document: 'Alder Weir.md', fact: 'Its keeper was Ida Moore.' },
          { document: 'Ida Moore.md', fact: 'Ida Moore trained in Leeds.' },
        ],
      },
    ])
    const { file } = await readOwnDataset(place.root, 'mine')
    expect(await goldProblems(place.root, { ...place.experiment.datasets[0]!, ...ownDatasetOf('mine', file) })).toEqual(
      [],
    )
    expect(file.profile.parser_order).toEqual(['plain_text'])
  })

  it('HotpotQA: the columns of its version for dataset libraries are read too', async () => {
    await write({
      'validation.jsonl': lines({
        ...HOTPOT,
        _id: undefined,
        id: 'h1',
        supporting_facts: { title: ['Ida Moore'], sent_id: [0] },
        context: { title: ['Ida Moore'], sentences: [['Ida Moore trained in Leeds.']] },
      }),
    })
    await bring()
    expect(await questions()).toMatchObject([
      { id: 'h1', gold: [{ document: 'Ida Moore.md', fact: 'Ida Moore trained in Leeds.' }] },
    ])
  })

  it('2WikiMultiHopQA: differs from HotpotQA by its evidences, and its sentences are joined by blanks', async () => {
    const sentences = ['Ida Moore trained in Leeds.', 'She was a surveyor.']
    const record = {
      ...HOTPOT,
      evidences: [['Ida Moore', 'place', 'Leeds']],
      supporting_facts: [['Ida Moore', 1]],
      context: [['Ida Moore', sentences]],
    }
    await write({ 'dev.json': JSON.stringify([record]) })
    expect((await bring()).format.id).toBe('2wikimultihopqa')
    expect(await readFile(join(place.root, 'datasets/mine/documents/Ida Moore.md'), 'utf8')).toBe(
      '# Ida Moore\n\nIda Moore trained in Leeds. She was a surveyor.\n',
    )
  })

  it('MuSiQue: supporting paragraphs are gold, aliases are accepted, titles that repeat keep their texts', async () => {
    await write({ 'musique_ans_v1.0_dev.jsonl': lines(musique('2hop__1_2', true, 'is old', 'is Ida Moore')) })
    expect((await bring()).format.id).toBe('musique')
    expect(await documents()).toEqual(['Fee.md', 'Weir-2.md', 'Weir.md'])
    expect(await questions()).toMatchObject([
      {
        id: '2hop__1_2',
        hops: 2,
        answer_keys: [['Ida Moore', 'Moore']],
        gold: [{ document: 'Weir.md' }, { document: 'Weir-2.md' }],
      },
    ])
  })

  it('MuSiQue: an unanswerable question is never imported beside the documents that answer it', async () => {
    const pairs = Array.from({ length: 12 }, (_, number) => [
      musique(`2hop__${number}`, true, `${number} is old`, `${number} is Ida Moore`),
      musique(`2hop__${number}`, false, `${number} is old`, `${number} is unknown`),
    ]).flat()
    await write({ 'musique_full_v1.0_dev.jsonl': lines(...pairs) })
    const all = await bring({ id: 'all' })
    expect(all.leftOut).toEqual([
      { count: 12, reason: 'unanswerable questions: documents of their answerable form answer them' },
    ])
    await bring({ questions: 8, documents: 40 })
    const taken = await questions()
    const unanswerable = taken.filter(({ answerable }) => !answerable)
    expect(unanswerable.length).toBeGreaterThan(1)
    expect(unanswerable.length).toBeLessThan(8)
    const texts = await Promise.all(
      (await documents()).map((name) => readFile(join(place.root, 'datasets/mine/documents', name), 'utf8')),
    )
    for (const { id } of unanswerable) {
      const [, number] = /__(\d+)/.exec(id)!
      expect(
        texts.some((text) => text.includes(`Its keeper ${number} is Ida Moore.`)),
        id,
      ).toBe(false)
    }
  })

  it('MultiHop-RAG: evidence is found by the URL of its article, questions without evidence are unanswerable', async () => {
    const evidence = (url: string, fact: string) => ({
      title: 'A',
      url,
      fact,
      source: 'The Post',
      category: 'c',
      author: 'a',
      published_at: '2023',
    })
    await write({
      'corpus.json': JSON.stringify([
        {
          title: 'Weir',
          url: 'u1',
          body: 'First line.\n\nThe weir was built in 1931.',
          source: 'The Post',
          author: 'Moore',
          published_at: '2023-10-02',
          category: 'news',
        },
        {
          title: 'Fee',
          url: 'u2',
          body: 'The fee is 218 marks.',
          source: 'The Times',
          author: null,
          published_at: '2023-10-03',
          category: 'news',
        },
      ]),
      'MultiHopRAG.json': JSON.stringify([
        {
          query: 'Both?',
          answer: 'Yes',
          question_type: 'comparison_query',
          evidence_list: [evidence('u1', 'The weir was built in 1931.'), evidence('u2', 'The fee was high.')],
        },
        { query: 'Nothing?', answer: 'Insufficient information.', question_type: 'null_query', evidence_list: [] },
      ]),
    })
    expect((await bring()).leftOut).toEqual([
      { count: 1, reason: 'gold facts: not word for word in their document, which counts as a whole instead' },
    ])
    expect(await questions()).toMatchObject([
      {
        ground_truth: 'Yes',
        hops: 2,
        gold: [{ document: 'Weir.md', fact: 'The weir was built in 1931.' }, { document: 'Fee.md' }],
      },
      { ground_truth: null, answerable: false, gold: [] },
    ])
  })

  it('GraphRAG-Bench: ids of several sources stay apart, evidence that is not verbatim is left out', async () => {
    const asked = (source: string, evidence: unknown) => ({
      id: 'x-1',
      source,
      question: `Who, in ${source}?`,
      answer: 'A sentence.',
      question_type: 'Fact Retrieval',
      evidence,
      evidence_relations: '',
    })
    await write({
      'Corpus/novel.json': JSON.stringify([
        { corpus_name: 'Novel-1', context: 'Ida Moore kept the weir. It rained.' },
        { corpus_name: 'Novel-2', context: 'Nothing happened.' },
      ]),
      'Corpus/medical.json': JSON.stringify({ corpus_name: 'Medical', context: 'A text.' }, null, 2),
      'Questions/novel_questions.json': JSON.stringify([
        asked('Novel-1', ['Ida Moore kept the weir.']),
        asked('Novel-2', 'It snowed.'),
      ]),
      'Questions/medical_questions.json': JSON.stringify([asked('Medical', 'A text.')]),
    })
    await expect(bring()).rejects.toThrow(
      'several files could be meant: name one of Corpus/medical.json, Corpus/novel.json',
    )
    expect((await bring({ split: 'novel' })).leftOut).toEqual([
      { count: 1, reason: 'gold facts: not word for word in their document' },
    ])
    expect((await questions()).map(({ id, gold, answer_keys: keys }) => [id, gold.length, keys])).toEqual([
      ['Novel-1-x-1', 1, []],
      ['Novel-2-x-1', 0, []],
    ])
  })

  it.each([
    ['2.0', { is_impossible: false }],
    ['1.1', {}],
  ])('SQuAD %s: the sentence with the answer is the gold fact', async (version, more) => {
    const context = 'The weir is old. It was built in 1931 by Ida Moore.'
    const answers = [
      { text: '1931', answer_start: context.indexOf('1931') },
      { text: 'in 1931', answer_start: context.indexOf('in 1931') },
      { text: '1931', answer_start: context.indexOf('1931') },
    ]
    const data = [
      {
        title: 'Alder_Weir',
        paragraphs: [
          {
            context,
            qas: [
              { id: 's1', question: 'When, "exactly"?', answers, ...more },
              { id: 's2', question: 'Who else?', answers: [], is_impossible: true, plausible_answers: answers },
            ],
          },
        ],
      },
    ]
    await write({ 'dev.json': JSON.stringify({ version, meta: { data: 'of \\"old\\" [times]' }, data }) })
    await bring()
    expect(await questions()).toMatchObject([
      {
        id: 's1',
        ground_truth: '1931',
        answer_keys: [['1931', 'in 1931']],
        gold: [{ document: 'Alder Weir 1.md', fact: 'It was built in 1931 by Ida Moore.' }],
      },
      { id: 's2', answerable: false, gold: [] },
    ])
  })

  it('a folder: documents of any kind keep their paths, wrong rows and facts refuse it', async () => {
    await write({
      'questions.csv': 'question,answer,document,fact,keys\nWhen?,In 1931.,old/weir.md,Built in 1931.,1931|31\n',
      'documents/old/weir.md': 'Built in 1931.',
      'documents/fees.csv': 'a,b',
    })
    expect((await bring()).format.id).toBe('folder')
    expect(await questions()).toMatchObject([{ answer_keys: [['1931', '31']], gold: [{ document: 'old/weir.md' }] }])
    await write({ 'questions.csv': 'question,hops\nWhen?,many\n' })
    await expect(bring({ id: 'other' })).rejects.toThrow('questions.csv, row 2: hops')
  })
})

describe('a sample', () => {
  const many = Array.from({ length: 40 }, (_, number) => ({
    ...HOTPOT,
    _id: `h${number}`,
    question: `Question ${number}?`,
    type: number < 30 ? 'bridge' : 'comparison',
    supporting_facts: [[`Town ${number}`, 0]],
    context: [
      [`Town ${number}`, [`Town ${number} is old.`]],
      [`Near ${number}`, [`Near ${number} is new.`]],
    ],
  }))

  it('keeps the shares of kinds, and is the same whatever the order of the source', async () => {
    await write({ 'dev.json': JSON.stringify(many) })
    const summary = await bring({ questions: 8, seed: 3 })
    expect(summary).toMatchObject({ questions: { taken: 8, of: 40 }, documents: { taken: 16, of: 80 } })
    const first = await questions()
    expect(first.filter(({ tags }) => tags.includes('comparison'))).toHaveLength(2)
    await write({ 'dev.json': JSON.stringify(many.toReversed()) })
    await bring({ id: 'again', questions: 8, seed: 3 })
    await bring({ id: 'other', questions: 8, seed: 4 })
    const idsOf = async (id: string) =>
      (await readOwnDataset(place.root, id)).file.questions.map((each) => each.id).sort()
    expect(await idsOf('again')).toEqual(first.map(({ id }) => id).sort())
    expect(await idsOf('other')).not.toEqual(await idsOf('again'))
  })

  it('takes gold documents first, then those beside the questions, then others', async () => {
    await write({ 'dev.json': JSON.stringify(many) })
    await bring({ questions: 8, documents: 20 })
    const names = await documents()
    expect(names).toHaveLength(20)
    for (const { gold } of await questions()) {
      const [, number] = /Town (\d+)/.exec(gold[0]!.document)!
      expect(names).toContain(`Town ${number}.md`)
      expect(names).toContain(`Near ${number}.md`)
    }
    await expect(bring({ id: 'few', questions: 8, documents: 7 })).rejects.toThrow(
      '--documents 7: the 8 questions have 8 gold documents, which are all needed',
    )
  })

  it('is recorded with files, licence and seed', async () => {
    await write({ 'dev.json': JSON.stringify(many) })
    await bring({ questions: 8, seed: 3 })
    expect((await readOwnDataset(place.root, 'mine')).file).toMatchObject({
      // A file in the form of a published set may be anyone's.
      licence: 'CC BY-SA 4.0, as HotpotQA is published',
      imported_from: {
        format: 'hotpotqa',
        url: 'https://hotpotqa.github.io',
        files: [{ name: 'dev.json', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string }],
        seed: 3,
        questions: { taken: 8, of: 40 },
        documents: { taken: 16, of: 80 },
      },
    })
  })
})

describe('a source that cannot be used', () => {
  it.each([
    [
      'a line that is no JSON',
      { ...BEIR, 'corpus.jsonl': `${BEIR['corpus.jsonl']}\n{"_id": "d9", "te` },
      'corpus.jsonl, line 6: not JSON',
    ],
    [
      'a missing field',
      { ...BEIR, 'queries.jsonl': `${BEIR['queries.jsonl']}\n\n{"_id":"q9"}\n`, 'qrels/test.tsv': 'q9\td1\t1\n' },
      'queries.jsonl, line 5: "text" is missing',
    ],
    [
      'a row of judgements with blanks',
      { ...BEIR, 'qrels/test.tsv': 'query-id\tcorpus-id\tscore\nq1 d1 1\n' },
      'test.tsv, line 2: expected query-id, corpus-id and score',
    ],
    [
      'a list that is cut off',
      { 'dev.json': JSON.stringify([HOTPOT, HOTPOT], null, 2).slice(0, -200) },
      'the file ends within a list',
    ],
    [
      'a record in a list that has another form',
      { 'dev.json': JSON.stringify([HOTPOT, { ...HOTPOT, context: 'x' }], null, 1) },
      /dev\.json, line \d+: "context" is missing: expected a list/,
    ],
    ['no known format', { 'notes.txt': 'x' }, 'no known format'],
    ['a first line that is no JSON', { 'corpus.jsonl': '{"_id": ' }, 'corpus.jsonl, line 1: not JSON'],
  ])('is refused for %s, and leaves nothing', async (_case, files, message) => {
    await write(files)
    await expect(bring()).rejects.toThrow(message)
    expect(await readdir(join(place.root, 'datasets')).catch(() => [])).toEqual([])
  })

  it('leaves nothing when a document cannot be written', async () => {
    await write({ 'questions.csv': 'question,answer\nWhen?,Now\n', 'documents/a.md': 'x', 'documents/b.md': 'y' })
    const onProgress = ({ step }: { step: string }): void => {
      if (step === 'documents') rmSync(join(place.source, 'documents/b.md'), { force: true })
    }
    await expect(bring({ onProgress })).rejects.toThrow('ENOENT')
    expect(await readdir(join(place.root, 'datasets'))).toEqual([])
  })

  it('leaves nothing when it is stopped, and removes what an ended process left', async () => {
    await write(BEIR)
    await mkdir(join(place.root, 'datasets/.import-mine-999999999/documents'), { recursive: true })
    const stop = new AbortController()
    const onProgress = ({ documents: count }: { documents: number }): void => {
      if (count > 0) stop.abort(new Error('stopped'))
    }
    await expect(bring({ onProgress, signal: stop.signal })).rejects.toThrow('stopped')
    expect(await readdir(join(place.root, 'datasets'))).toEqual([])
  })
})
