import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ImportFolderInput } from '../../../contract/control/dataset-transfer.ts'
import { failureOf } from '../../helpers/engine-process.ts'
import { root, client } from './setup.ts'

describe('datasets', () => {
  it('shows datasets with gold facts in place, and why there is no graph', async () => {
    expect((await client.datasets.list()).map(({ id }) => id)).toContain('smoke')
    const { documents } = await client.datasets.documents({ dataset_id: 'smoke' })
    expect(documents).toHaveLength(3)
    const document = await client.datasets.document({ dataset_id: 'smoke', path: documents[0]!.path })
    if (!document.is_text) throw new Error('not a text')
    expect(document.lost_gold).toEqual([])
    for (const { start, end, fact } of document.gold)
      expect(document.text.slice(start, end).replaceAll(/\s+/g, ' ').toLowerCase()).toBe(
        fact.replaceAll(/\s+/g, ' ').toLowerCase(),
      )
    expect(
      await failureOf(client.datasets.document({ dataset_id: 'smoke', path: 'sub/../../../secrets.md' })),
    ).toMatchObject({ code: 'input_invalid' })
    const { prompt } = await client.datasets.speechPrompt({ dataset_id: 'smoke' })
    expect(prompt).toContain(document.text.trim().slice(0, 200))
    const graph = await client.datasets.graph({ dataset_id: 'smoke' })
    expect(graph.ok && graph.picture.nodes.length).toBeGreaterThan(0)
    expect(await client.datasets.graph({ dataset_id: 'graph_native' })).toMatchObject({
      ok: false,
      reason: 'not_ingested',
    })
  })

  it('show where the ingestion profile cuts a document, and which documents it does not cut', async () => {
    await writeFile(join(root, 'corpus/smoke/long.txt'), `\uFEFF${'A lock keeper counts boats. '.repeat(200)}`)
    await writeFile(join(root, 'corpus/smoke/page.html'), '<p>Boats</p>')
    await writeFile(join(root, 'corpus/smoke/huge.txt'), 'a'.repeat(1_000_001))
    const input = { dataset_id: 'smoke', path: 'long.txt' }
    const document = await client.datasets.document(input)
    const chunks = await client.datasets.chunks({ ...input, offset: 1500, limit: 1000 })
    if (!chunks.ok || !document.is_text) throw new Error(JSON.stringify(chunks))
    expect(chunks).toMatchObject({ profile: 'smoke', strategy: 'recursive', chunk_size: 800, overlap: 100 })
    expect(chunks.total).toBeGreaterThan(chunks.chunks.length)
    for (const [at, { index, start, end }] of chunks.chunks.entries()) {
      // Sentences of the text as the page has it: the byte order mark is counted.
      expect(document.text.slice(start, end)).toMatch(/^A lock keeper .* boats\.$/)
      expect(end - start).toBeLessThanOrEqual(800)
      expect(end > 1500 && start < 2500).toBe(true)
      if (at > 0) expect(index).toBe(chunks.chunks[at - 1]!.index + 1)
    }
    const chunker = { strategy: 'recursive' as const, chunk_size: 300, overlap: 0 }
    const tried = await client.datasets.chunks({ ...input, chunker })
    if (!tried.ok) throw new Error(tried.message)
    expect(tried).toMatchObject(chunker)
    expect(tried.total).toBeGreaterThan(2 * chunks.total)
    const refused = (path: string) => client.datasets.chunks({ dataset_id: 'smoke', path })
    expect(await refused('page.html')).toMatchObject({ ok: false, reason: 'converted' })
    expect(await refused('huge.txt')).toMatchObject({ ok: false, reason: 'too_long' })
    expect(await failureOf(refused('none.md'))).toMatchObject({ code: 'not_found' })
    for (const name of ['long.txt', 'page.html', 'huge.txt']) await rm(join(root, 'corpus/smoke', name))
  })

  it('takes a text into a corpus, and writes over nothing', async () => {
    const added = { dataset_id: 'smoke', name: 'Hafen 2.1', text: '# Hafen\n\nDie Schleuse öffnet um sechs.\n' }
    expect(await client.datasets.addDocument(added)).toEqual({
      path: 'Hafen 2.1.md',
      size_bytes: Buffer.byteLength(added.text),
    })
    expect(await readFile(join(root, 'corpus/smoke/Hafen 2.1.md'), 'utf8')).toBe(added.text)
    expect((await client.datasets.documents({ dataset_id: 'smoke' })).total).toBe(4)
    for (const name of ['Hafen 2.1', '../out', '.hidden', 'a/b', 'con\u0000', ''])
      expect(await failureOf(client.datasets.addDocument({ ...added, name })), name).toMatchObject({
        code: 'input_invalid',
        details: { problems: [{ path: 'name' }] },
      })
  })

  it('keeps datasets of a person apart from the project: created, filled, edited, checked, planned, removed and restored', async () => {
    const { datasets } = client
    const before = await readdir(join(root, 'manifests/datasets'))
    const id = 'own_harbour'
    const one = { dataset_id: id }
    const wanted = { id, label: 'My harbour: fees' }
    const [created, refused] = await Promise.all([datasets.create(wanted), failureOf(datasets.create(wanted))])
    expect(created).toMatchObject({ id, own: true, questions: 0, complexity_level: 0 })
    expect(refused).toMatchObject({ code: 'input_invalid', details: { problems: [{ path: 'id' }] } })
    expect(await readdir(join(root, 'manifests/datasets'))).toEqual(before)
    expect(await client.experiment.plan({ dataset_ids: [id], models: ['vanilla-rag'] })).toMatchObject({
      ok: false,
      problems: [{ path: 'dataset_ids[0]', message: expect.stringContaining('has no question yet') as string }],
    })

    const base64 = (text: string) => Buffer.from(text).toString('base64')
    expect(await datasets.addFile({ ...one, name: 'fees.md', base64: base64('Class K3 pays 218 marks.') })).toEqual({
      path: 'fees.md',
      size_bytes: 24,
    })
    await datasets.addFile({ ...one, name: 'notes/film.mov', base64: base64('moving') })
    for (const name of ['fees.md', '../out.md', '.hidden.md', 'a:b.md'])
      expect(await failureOf(datasets.addFile({ ...one, name, base64: base64('x') })), name).toMatchObject({
        code: 'input_invalid',
        details: { problems: [{ path: 'name' }] },
      })
    expect((await datasets.documents(one)).documents.map(({ path }) => path)).toEqual(['fees.md', 'notes/film.mov'])

    const { revision } = await datasets.own(one)
    const fact = { document: 'fees.md', fact: 'Class K3 pays 218 marks.' }
    const question = { query: 'What is paid for a boat of class K3?', ground_truth: '218 marks', hops: 1, gold: [fact] }
    const saved = await datasets.saveQuestion({ ...one, revision, question })
    expect(saved).toMatchObject({ dataset: { documents: 2, questions: 1 }, question_id: 'q-1' })
    expect(await datasets.ownQuestions(one)).toMatchObject({ matching: 1, questions: [{ id: 'q-1', ...question }] })
    const wrong = { query: 'Who pays?', gold: [{ document: 'fees.md', fact: 'Nobody pays.' }] }
    expect(
      await failureOf(datasets.saveQuestion({ ...one, revision: saved.dataset.revision, question: wrong })),
    ).toMatchObject({
      code: 'input_invalid',
      message: expect.stringContaining('The nearest passage is "Class K3 pays 218 marks.".') as string,
      details: { problems: [{ path: 'gold[0]' }] },
    })
    expect(await failureOf(datasets.saveQuestion({ ...one, revision, question }))).toMatchObject({
      details: { problems: [{ path: 'revision' }] },
    })

    const csv =
      'question,answer,document,fact\nWho pays?,Class K3,fees.md,Class K3 pays 218 marks.\nWhen?,,fees.md,At noon.\n'
    const preview = await datasets.readQuestions({ ...one, text: csv })
    expect(preview).toMatchObject({
      format: 'csv',
      fine: 1,
      refused: 1,
      lines: [
        { line: 2, question: { id: 'q-2', query: 'Who pays?' }, problems: [] },
        { line: 3, question: null, problems: [expect.stringContaining('does not hold the fact')] },
      ],
    })
    const imported = await datasets.importQuestions({ ...one, revision: saved.dataset.revision, text: csv })
    expect(imported).toMatchObject({ questions: 2 })
    const lines = 'What does class K3 pay for a boat? 218 marks\nWho paints it? No one\n'
    const found = await datasets.findPassages({ ...one, text: lines })
    const passage = { line: 1, document: 'fees.md', fact: 'Class K3 pays 218 marks.' }
    expect(found).toEqual({
      passages: [passage],
      without: [{ line: 2, reason: 'answer_absent' }],
      unread: ['notes/film.mov'],
    })
    const idsOf = async (page: object) =>
      (await datasets.ownQuestions({ ...one, ...page })).questions.map((each) => each.id)
    expect(await idsOf({})).toEqual(['q-1', 'q-2'])
    expect(await idsOf({ text: 'WHO pays' })).toEqual(['q-2'])
    expect(await idsOf({ question_id: 'q-1' })).toEqual(['q-1'])
    expect(await idsOf({ offset: 1, limit: 1 })).toEqual(['q-2'])
    const nothing = { ...one, revision: imported.revision, text: 'question,document,fact\nWhen?,fees.md,At noon.\n' }
    expect(await failureOf(datasets.importQuestions(nothing))).toMatchObject({
      code: 'input_invalid',
      details: { problems: [{ path: 'text' }] },
    })
    expect(await datasets.check(one)).toMatchObject({
      problems: [{ kind: 'document', place: 'notes/film.mov' }],
      questions: 2,
      documents: 2,
    })
    await datasets.removeDocument({ ...one, path: 'notes/film.mov' })
    expect((await datasets.check(one)).problems).toEqual([])
    await datasets.restoreDocument({ ...one, path: 'notes/film.mov' })
    await datasets.removeDocument({ ...one, path: 'notes/film.mov' })

    // A passage that no person confirmed is no gold fact.
    const confirmed = await datasets.importQuestions({
      ...one,
      revision: imported.revision,
      text: lines,
      confirmed: [passage],
    })
    const goldOf = async (id: string) => (await datasets.ownQuestions({ ...one, question_id: id })).questions[0]!.gold
    expect([await goldOf('q-3'), await goldOf('q-4')]).toEqual([[{ document: 'fees.md', fact: passage.fact }], []])
    const fewer = await datasets.removeQuestion({ ...one, revision: confirmed.revision, question_id: 'q-3' })
    const { revision: again } = await datasets.removeQuestion({ ...one, revision: fewer.revision, question_id: 'q-4' })

    const chunker = { strategy: 'recursive' as const, chunk_size: 200, overlap: 20 }
    const updated = await datasets.update({ ...one, revision: again, label: 'Fees', chunker })
    expect(updated).toMatchObject({ label: 'Fees', chunker, questions: 2 })
    const plan = await client.experiment.plan({ dataset_ids: [id], models: ['vanilla-rag'] })
    expect(plan).toMatchObject({ ok: true, totals: { total: 2, run: 2 } })

    const { trash_id } = await datasets.remove(one)
    expect((await datasets.list()).some((dataset) => dataset.id === id)).toBe(false)
    expect(await datasets.trash()).toMatchObject([{ trash_id, dataset_id: id, label: 'Fees' }])
    expect(await datasets.restore({ trash_id })).toMatchObject({ id, questions: 2 })
    const left = await datasets.removeQuestion({ ...one, revision: updated.revision, question_id: 'q-1' })
    expect(left.questions).toBe(1)
    expect(await idsOf({})).toEqual(['q-2'])

    expect(await datasets.create({ id: 'smoke_copy', label: 'Mine', copy_of: 'smoke' })).toMatchObject({
      own: true,
      questions: 4,
    })
    expect(await datasets.own({ dataset_id: 'smoke_copy' })).toMatchObject({ chunker: { chunk_size: 800 } })
    expect((await datasets.documents({ dataset_id: 'smoke_copy' })).total).toBeGreaterThan(2)
    expect(await failureOf(datasets.own({ dataset_id: 'smoke' }))).toMatchObject({
      message: expect.stringContaining('duplicate it to edit') as string,
    })
    for (const name of ['../out', 'Own', 'a b', '', 'smoke'])
      expect(await failureOf(datasets.create({ ...wanted, id: name })), name).toMatchObject({ code: 'input_invalid' })
  })

  it('takes, shows and searches more questions than one message holds', async () => {
    const { datasets } = client
    const one = { dataset_id: 'many' }
    await datasets.create({ id: 'many', label: 'Many' })
    const { revision } = await datasets.own(one)
    const about = 'of the long list that a person brings from elsewhere, '.repeat(6)
    const lines = Array.from({ length: 5000 }, (_, at) =>
      JSON.stringify({ query: `Number ${at} ${about}?`, ground_truth: `answer-${at}` }),
    )
    const text = [...lines, '{"query": ""}'].join('\n')
    expect(text.length).toBeGreaterThan(1_500_000)
    const preview = await datasets.readQuestions({ ...one, text })
    expect(preview).toMatchObject({ format: 'jsonl', fine: 5000, refused: 1 })
    expect(preview.lines).toHaveLength(201)
    expect(await datasets.importQuestions({ ...one, revision, text })).toMatchObject({ questions: 5000 })
    expect(await datasets.own(one)).toMatchObject({ questions: 5000 })
    expect(await datasets.ownQuestions({ ...one, offset: 4990 })).toMatchObject({
      matching: 5000,
      questions: { length: 10 },
    })
    expect(await datasets.ownQuestions({ ...one, text: 'NUMBER answer-4321' })).toMatchObject({
      matching: 1,
      questions: [{ ground_truth: 'answer-4321' }],
    })
    expect(await datasets.check(one)).toMatchObject({ questions: 5000 })
    await datasets.remove(one)
  })

  it('drafts questions by rules, which are accepted and rejected once', async () => {
    const { datasets } = client
    const one = { dataset_id: 'terms' }
    await datasets.create({ id: 'terms', label: 'Terms' })
    const text = 'A sluice is a gate that lets water out. A weir is a low dam across a river.'
    await datasets.addFile({ ...one, name: 'terms.md', base64: Buffer.from(text).toString('base64') })
    expect(await datasets.draftPlan({ ...one, count: 2 })).toMatchObject({
      rules: true,
      leaves_machine: false,
      cost: null,
    })
    expect(await failureOf(datasets.draftPlan({ ...one, count: 2, hops: 2 }))).toMatchObject({
      code: 'input_invalid',
      details: { problems: [{ path: 'hops' }] },
    })
    expect(await failureOf(datasets.draftPlan({ dataset_id: 'smoke', count: 2 }))).toMatchObject({
      code: 'input_invalid',
    })
    const steps = await Array.fromAsync(await datasets.draft({ ...one, count: 2 }))
    expect(steps.at(-1)).toMatchObject({ type: 'done', drafted: 2, dropped: [] })
    const { revision } = await datasets.own(one)
    const drafts = [{ id: 'draft-1' }]
    expect(await datasets.draftPower({ ...one, draft_ids: ['draft-1'] })).toMatchObject({
      questions: 0,
      drafts: 1,
      planned_difference: { questions: 1, groups: 1, alone: null },
    })
    expect(await datasets.acceptDrafts({ ...one, revision, drafts })).toMatchObject({
      questions: 1,
      tags: ['one_fact', 'draft'],
    })
    expect(await datasets.rejectDrafts({ ...one, draft_ids: ['draft-2'] })).toEqual({ drafts: [] })
    expect(await failureOf(datasets.rejectDrafts({ ...one, draft_ids: ['draft-2'] }))).toMatchObject({
      code: 'input_invalid',
    })
    expect(await datasets.drafts(one)).toEqual({ drafts: [] })
    await datasets.remove(one)
  })

  it('imports a public dataset with progress, sends it as a zip file and imports that', async () => {
    const { datasets } = client
    expect((await datasets.importFormats()).map(({ id }) => id)).toContain('beir')
    const source = join(root, 'public')
    await mkdir(join(source, 'qrels'), { recursive: true })
    const texts = Array.from({ length: 30 }, (_, at) => ({ _id: `d${at}`, title: '', text: `Lock ${at} is old.` }))
    await writeFile(join(source, 'corpus.jsonl'), texts.map((each) => JSON.stringify(each)).join('\n'))
    await writeFile(join(source, 'queries.jsonl'), '{"_id":"q1","text":"How old is lock 7?"}')
    await writeFile(join(source, 'qrels/test.tsv'), 'q1\td7\t1\n')
    const wanted = { source, id: 'locks', documents: 20 }
    const imported = async (input: ImportFolderInput) => Array.fromAsync(await datasets.importFolder(input))
    const steps = await imported(wanted)
    expect(steps.at(-1)).toMatchObject({
      type: 'done',
      format: 'BEIR',
      questions: { taken: 1, of: 1 },
      documents: { taken: 20, of: 30 },
    })
    expect((await datasets.ownQuestions({ dataset_id: 'locks' })).questions).toMatchObject([
      { gold: [{ document: 'd7.md' }] },
    ])
    expect(await failureOf(imported(wanted))).toMatchObject({
      code: 'input_invalid',
      details: { problems: [{ path: 'id' }] },
    })
    for (const wrong of [join(root, 'nothing'), 'public'])
      expect(await failureOf(imported({ source: wrong, id: 'l2' }))).toMatchObject({
        details: { problems: [{ path: 'source' }] },
      })

    const [, document] = await Array.fromAsync(await datasets.documentFile({ dataset_id: 'locks', path: 'd7.md' }))
    expect(document).toEqual({ type: 'bytes', base64: Buffer.from('Lock 7 is old.\n').toString('base64') })
    expect(await failureOf(datasets.documentFile({ dataset_id: 'locks', path: 'none.md' }))).toMatchObject({
      code: 'not_found',
    })
    expect(await failureOf(datasets.exportZip({ dataset_id: 'none' }))).toMatchObject({ code: 'not_found' })

    const pieces = await Array.fromAsync(await datasets.exportZip({ dataset_id: 'locks' }))
    const bytes = Buffer.concat(
      pieces.map((piece) => Buffer.from(piece.type === 'bytes' ? piece.base64 : '', 'base64')),
    )
    expect(pieces.at(-1)).toEqual({
      type: 'end',
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
    await writeFile(join(root, 'locks.zip'), bytes)
    const unpacked = await imported({ source: join(root, 'locks.zip'), id: 'locks_again' })
    expect(unpacked).toMatchObject([{ type: 'done', format: 'zip', documents: { taken: 20, of: 20 } }])
    const upload = { file_name: 'locks.zip', base64: bytes.toString('base64') }
    expect(await datasets.previewZip(upload)).toMatchObject({ questions: 1, with_gold: 1, documents: 20 })
    expect(await failureOf(datasets.uploadZip({ ...upload, id: 'locks' }))).toMatchObject({
      details: { problems: [{ path: 'id' }] },
    })
    expect(await datasets.uploadZip({ ...upload, id: 'locks_sent' })).toMatchObject({ id: 'locks_sent', questions: 1 })
    for (const id of ['locks', 'locks_again', 'locks_sent']) await datasets.remove({ dataset_id: id })
  })
})
