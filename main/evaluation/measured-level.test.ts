import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Question } from '../../contract/manifests/queries.ts'
import { randomFrom } from '../../tests/helpers/random.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { levelOf, measuredLevel } from './measured-level.ts'

type Documents = Record<string, string>

async function measured(documents: Documents, questions: Question[]) {
  const root = await temporaryFolder()
  for (const [path, text] of Object.entries(documents)) {
    const file = join(root, 'corpus/planted', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  return measuredLevel(root, {
    dataset: {
      id: 'planted',
      label: 'Planted',
      description: '',
      complexity_level: 1,
      corpus_path: 'corpus/planted',
      queries_file: 'manifests/datasets/planted.yaml',
      ingestion_profile: 'planted',
    },
    profile: {
      name: 'planted',
      corpus: { source: 'mount', path: 'corpus/planted' },
      parser_order: ['plain_text'],
      chunker: { strategy: 'recursive', chunk_size: 400, overlap: 40 },
      vector_target: { collection_prefix: 'RagBase', on_unavailable: 'fail' },
      graph_target: {
        mode: 'upload_documents',
        wait_for_extraction: true,
        timeout_seconds: 60,
        on_unavailable: 'fail',
      },
    },
    questions,
  })
}

const question = (id: string, query: string, hops: number | null, gold: Question['gold']): Question =>
  Question.parse({ id, query, hops, gold })

const CHAINS = 24
/** Pairs of documents: the first names its partner, the second alone has the answer; `isNamed` puts the partner's name into the question. */
function chains(isNamed: boolean): { documents: Documents; questions: Question[] } {
  const documents: Documents = {}
  const questions: Question[] = []
  for (let at = 0; at < CHAINS; at += 1) {
    const [keeper, partner] = [`keeper${at}x`, `partner${at}x`]
    const first = `The gate of ${keeper} was built by ${partner}.`
    const second = `${partner} works in harbour${at}z.`
    documents[`${at}a.md`] = first
    documents[`${at}b.md`] = second
    const single = question(`one-${at}`, `Who built the gate of ${keeper}?`, 1, [
      { document: `${at}a.md`, fact: first },
    ])
    const both = question(
      `two-${at}`,
      `Where does the builder of the gate of ${keeper}${isNamed ? `, ${partner},` : ''} work?`,
      2,
      [
        { document: `${at}a.md`, fact: first },
        { document: `${at}b.md`, fact: second },
      ],
    )
    questions.push(single, both)
  }
  return { documents, questions }
}

describe('the measured level of a dataset', () => {
  it('falls with hops where the question does not name what connects its passages', async () => {
    const { documents, questions } = chains(false)
    const level = await measured(documents, questions)
    expect(level.reason).toBeNull()
    expect(level.questions).toBe(2 * CHAINS)
    expect(level.by_hops[0]).toEqual({ hops: 1, questions: CHAINS, recall: 1 })
    expect(level.by_hops[1]!.recall).toBeLessThan(0.8)
    expect(level.slope!.value).toBeLessThan(-0.2)
    expect(level.slope!.interval!.high).toBeLessThan(0)
    expect(level.slope!.clusters).toBe(CHAINS)
  })

  it('is flat where the words of a question lead to all of its passages, and says that nothing varies', async () => {
    const { documents, questions } = chains(true)
    const level = await measured(documents, questions)
    expect(level.by_hops.map(({ recall }) => recall)).toEqual([1, 1])
    expect(level).toMatchObject({ recall: 1, reason: 'no_variation', slope: { value: 0, interval: null } })
  })

  it('stems English as the keyword baseline does', async () => {
    const gold = [{ document: 'a.md', fact: 'The seals were repaired.' }]
    const documents = { 'a.md': gold[0]!.fact, 'b.md': 'A bridge.' }
    const level = await measured(documents, [question('q', 'Who does the repairs?', 1, gold)])
    expect(level).toMatchObject({ recall: 1, slope: null, reason: 'one_hop' })
  })

  it('is the same again for the same content, and another for other documents', async () => {
    const { documents, questions } = chains(false)
    const first = await measured(documents, questions)
    expect(await measured(documents, questions)).toEqual(first)
    const bridged = { ...documents, '0a.md': `${documents['0a.md']} It works in harbour0z. ${documents['0b.md']}` }
    expect(await measured(bridged, questions)).not.toEqual(first)
  })

  it.each([
    [
      'one_hop',
      'all questions rest on one passage',
      (): Question[] => chains(false).questions.filter(({ hops }) => hops === 1),
    ],
    ['no_gold', 'no question has gold facts', (): Question[] => [question('q', 'Who?', 1, [])]],
    [
      'no_hops',
      'no question counts its hops',
      (): Question[] => chains(false).questions.map((each) => ({ ...each, hops: null })),
    ],
    ['too_few_questions', 'there are too few questions', (): Question[] => chains(false).questions.slice(0, 6)],
  ])('has the reason %s where %s', async (reason, _why, questions) => {
    const level = await measured(chains(false).documents, questions())
    expect(level.reason).toBe(reason)
    expect(level.slope?.interval ?? null).toBeNull()
  })

  it('waits for the text of documents that a converter or a recognizer reads, and needs documents', async () => {
    const { documents, questions } = chains(false)
    expect((await measured({ ...documents, 'c.pdf': '%PDF' }, questions)).reason).toBe('not_text')
    expect((await measured({}, questions)).reason).toBe('no_documents')
  })
})

it('the interval of the slope holds the true slope in about 95 % of datasets whose documents make questions alike', () => {
  const random = randomFrom(7)
  const [runs, truth] = [400, -0.08]
  let held = 0
  for (let run = 0; run < runs; run += 1) {
    const questions: Question[] = []
    const recalls: number[] = []
    for (let document = 0; document < 30; document += 1) {
      const effect = (random() - 0.5) * 0.3
      for (let each = 0; each < 3; each += 1) {
        const hops = 1 + Math.floor(random() * 4)
        questions.push(question(`${document}-${each}`, 'Who?', hops, [{ document: `${document}.md`, fact: 'It is.' }]))
        recalls.push(0.9 + truth * hops + effect + (random() - 0.5) * 0.4)
      }
    }
    const { low, high } = levelOf(questions, recalls).slope!.interval!
    if (low <= truth && truth <= high) held += 1
  }
  expect(held / runs).toBeGreaterThan(0.92)
  expect(held / runs).toBeLessThan(0.98)
})
