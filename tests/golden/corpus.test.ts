import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { loadExperiment } from '../../main/manifests/experiment.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

interface TypedGraph {
  relation_types: { id: string; subject: string[]; object: string[] }[]
  entities: { id: string; name: string; type: string; aliases?: string[] }[]
  relations: { subject: string; type: string; object: string; documents: string[] }[]
}

const experiment = await loadExperiment(PROJECT_ROOT)
const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** A question may share names and codes with a document, but no run of words this long: that would be quoting. */
const QUOTE_WORDS = 6
const MINIMUM_DOCUMENTS: Record<string, number> = {
  smoke: 3,
  baseline_curated: 40,
  graph_native: 40,
  cyber_threat_intel: 60,
}
/** Questions of the rungs that have more than the usual 24. */
const QUESTIONS: Record<string, number> = { baseline_curated: 112, graph_native: 112, cyber_threat_intel: 112 }
/** Needed by a single pair to show a difference of a tenth (decision 104), with one to spare for a lost cell. */
const WITH_GOLD = 97

const runsOf = (text: string): string[] => {
  const all = words(text)
  return all.slice(QUOTE_WORDS - 1).map((_, index) => all.slice(index, index + QUOTE_WORDS).join(' '))
}

// Papers and recordings are not text: their content is checked where they are read.
const written = experiment.datasets.filter(({ dataset }) => !['mixed_formats', 'spoken_notes'].includes(dataset.id))

describe.each(written.map((entry) => [entry.dataset.id, entry] as const))('%s', (id, { dataset, questions }) => {
  const folder = join(PROJECT_ROOT, dataset.corpus_path)
  const names = readdirSync(folder)
  const documents = new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

  it('has enough documents, each with a title and prose', () => {
    expect(names.length).toBeGreaterThanOrEqual(MINIMUM_DOCUMENTS[id]!)
    for (const [name, text] of documents) {
      expect(name).toMatch(/^[a-z0-9-]+\.md$/)
      expect(text, name).toMatch(/^# \S/)
      expect(words(text).length, name).toBeGreaterThan(60)
    }
  })

  it('has all its questions, over 1 to 4 hops, at least 3 of them unanswerable', () => {
    if (id === 'smoke') {
      expect(questions.filter((question) => !question.answerable)).toHaveLength(1)
      return
    }
    expect(questions).toHaveLength(QUESTIONS[id] ?? 24)
    expect(questions.filter((question) => !question.answerable).length).toBeGreaterThanOrEqual(3)
    expect(new Set(questions.map((question) => question.hops)).size).toBeGreaterThanOrEqual(3)
  })

  it.runIf(id in QUESTIONS)('has enough questions with gold facts, of each number of hops from 1 to 4', () => {
    const withGold = questions.filter(({ gold }) => gold.length > 0)
    expect(withGold.length).toBeGreaterThanOrEqual(WITH_GOLD)
    const hops = [...Map.groupBy(withGold, (question) => question.hops)].sort(([one], [other]) => one! - other!)
    expect(hops.map(([count]) => count)).toEqual([1, 2, 3, 4])
    for (const [count, those] of hops) expect(those.length, `${count} hops`).toBeGreaterThanOrEqual(5)
  })

  it('declares all that a question needs', () => {
    for (const question of questions) {
      expect(question.ground_truth, question.id).not.toBeNull()
      expect(question.rationale, question.id).not.toBeNull()
      expect(question.hops, question.id).not.toBeNull()
      if (question.answerable) {
        expect(question.gold.length, question.id).toBeGreaterThanOrEqual(question.hops!)
        expect(question.answer_keys.length, question.id).toBeGreaterThan(0)
        if (id !== 'smoke') expect(question.expect_winner, question.id).not.toBeNull()
      } else expect(question.gold, question.id).toEqual([])
      if (question.expect_winner !== null)
        expect([...experiment.aliases.keys()], question.id).toContain(question.expect_winner)
    }
  })

  it('has every gold fact in its document, word for word', () => {
    const missing = questions.flatMap((question) =>
      question.gold
        .filter(({ document, fact }) => !documents.get(document)?.includes(fact ?? ''))
        .map(({ fact }) => `${question.id}: ${fact}`),
    )
    expect(missing).toEqual([])
  })

  it('has the hops that its gold facts show: the paragraphs that hold them, at most 4', () => {
    const wrong = questions
      .filter(({ answerable }) => answerable)
      .map(({ id: question, hops, gold }) => {
        const passages = gold.map(({ document, fact }) => {
          const before = documents.get(document)!.split(fact!)[0]!
          return `${document} ${before.split(/\n\s*\n/).length}`
        })
        return { question, hops, measured: Math.min(4, new Set(passages).size) }
      })
      .filter(({ hops, measured }) => hops !== measured)
    expect(wrong).toEqual([])
  })

  it('has every answer key and bridge key in the gold documents of its question, unless the answer is computed from bridge keys', () => {
    const missing = questions.flatMap(({ id: question, gold, answer_keys: keys, bridge_keys: bridges = [], tags }) => {
      const text = gold
        .map(({ document }) => documents.get(document) ?? '')
        .join('\n')
        .toLowerCase()
      if (tags.includes('computed')) expect(bridges.length, question).toBeGreaterThan(0)
      return [...bridges, ...(tags.includes('computed') ? [] : keys)]
        .filter((spellings) => !spellings.some((spelling) => text.includes(spelling.toLowerCase())))
        .map((spellings) => `${question}: ${spellings.join(' | ')}`)
    })
    expect(missing).toEqual([])
  })

  it('has every forbidden answer in a document, so that it is a mistake that can be made', () => {
    const all = [...documents.values()].join('\n')
    const forbidden = questions.flatMap(({ forbidden_answers: names = [] }) => names)
    expect(forbidden.filter((name) => !all.includes(name))).toEqual([])
  })

  it('has no question that quotes a document', () => {
    const known = [...documents].map(([name, text]) => ({ name, runs: new Set(runsOf(text)) }))
    const quoted = questions.flatMap(({ id: question, query }) =>
      runsOf(query).flatMap((run) =>
        known.flatMap(({ name, runs }) => (runs.has(run) ? [`${question} quotes ${name}: ${run}`] : [])),
      ),
    )
    expect(quoted).toEqual([])
  })

  it('repeats no paragraph', () => {
    const seen = new Map<string, string>()
    const repeated: string[] = []
    for (const [name, text] of documents)
      for (const paragraph of text
        .split(/\n\s*\n/)
        .map((part) => part.trim())
        .filter((part) => part.length > 80)) {
        if (seen.has(paragraph)) repeated.push(`${name} and ${seen.get(paragraph)}: ${paragraph.slice(0, 60)}`)
        seen.set(paragraph, name)
      }
    expect(repeated).toEqual([])
  })
})

describe('the typed graph beside graph_native', () => {
  const graph = parse(readFileSync(join(PROJECT_ROOT, 'corpus/graph_native.graph.yaml'), 'utf8')) as TypedGraph
  const entities = new Map(graph.entities.map((entity) => [entity.id, entity]))
  const types = new Map(graph.relation_types.map((type) => [type.id, type]))
  const text = (document: string): string => readFileSync(join(PROJECT_ROOT, 'corpus/graph_native', document), 'utf8')
  const named = (sentence: string, id: string): boolean => {
    const { name, aliases = [] } = entities.get(id)!
    return [name, ...aliases].some((form) => sentence.includes(form))
  }

  it('has at least 150 entities and 400 distinct relations of declared types', () => {
    expect(entities.size).toBe(graph.entities.length)
    expect(entities.size).toBeGreaterThanOrEqual(150)
    expect(
      new Set(graph.relations.map(({ subject, type, object }) => `${subject} ${type} ${object}`)).size,
    ).toBeGreaterThanOrEqual(400)
    const wrong = graph.relations.filter(({ subject, type, object }) => {
      const declared = types.get(type)
      const from = entities.get(subject)?.type ?? ''
      const to = entities.get(object)?.type ?? ''
      return declared === undefined || !declared.subject.includes(from) || !declared.object.includes(to)
    })
    expect(wrong).toEqual([])
  })

  it('is supported by the documents: each relation has both names in one line of each document that it lists', () => {
    const unsupported = graph.relations.flatMap(({ subject, type, object, documents }) =>
      documents
        .filter(
          (document) =>
            !text(document)
              .split('\n')
              .some((line) => named(line, subject) && named(line, object)),
        )
        .map((document) => `${document}: ${subject} ${type} ${object}`),
    )
    expect(unsupported).toEqual([])
  })
})
