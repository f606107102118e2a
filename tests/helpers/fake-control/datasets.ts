import { speechPrompt } from '../../../contract/http/speech-prompt.ts'
import { Question } from '../../../contract/manifests/queries.ts'
import { graphPicture } from './graph.ts'
import { os, refuse, refuseField } from './implementer.ts'
import type { FakeState } from './state.ts'

const CHUNK_SIZE = 800
const OVERLAP = 100

/** Documents, questions and graphs of the project’s own corpora. */
export function datasetProcedures(state: FakeState) {
  const { world, options, datasetOf } = state
  return {
    datasets: {
      list: os.datasets.list.handler(() => world.experiment.datasets),
      documents: os.datasets.documents.handler(({ input }) => {
        const { documents, questions } = datasetOf(input.dataset_id)
        const gold = questions.flatMap(({ id, gold: facts }) => facts.map(({ document }) => ({ id, document })))
        const all = [...documents].map(([path, text]) => {
          const facts = gold.filter(({ document }) => document === path)
          return {
            ...{ path, title: /^# (.+)/m.exec(text)?.[1] ?? path, size_bytes: Buffer.byteLength(text), is_text: true },
            ...{ gold_facts: facts.length, questions: new Set(facts.map(({ id }) => id)).size },
          }
        })
        return { total: all.length, documents: all.slice(input.offset, input.offset + input.limit) }
      }),
      chunks: os.datasets.chunks.handler(({ input }) => {
        const text = datasetOf(input.dataset_id).documents.get(input.path) ?? refuse('not_found', 'no such document')
        const all = Array.from({ length: Math.ceil(text.length / (CHUNK_SIZE - OVERLAP)) }, (_, index) => {
          const start = index * (CHUNK_SIZE - OVERLAP)
          return { index, start, end: Math.min(text.length, start + CHUNK_SIZE), tokens: 140 }
        })
        return {
          ...{ ok: true as const, profile: input.dataset_id, strategy: 'recursive' as const },
          ...{ chunk_size: CHUNK_SIZE, overlap: OVERLAP, total: all.length },
          chunks: all.filter(({ start, end }) => end > input.offset && start < input.offset + input.limit),
        }
      }),
      create: os.datasets.create.handler(({ input: { id, label, description, question } }) => {
        if (world.datasets.has(id)) refuseField('id', 'the manifests have a dataset or profile of this name already')
        const pattern = [...world.datasets.values()][0]!.view
        const view = {
          ...pattern,
          ...{
            id,
            label,
            description,
            complexity_level: 0,
            corpus_path: `corpus/${id}`,
            questions: 1,
            published: null,
          },
          ...{ queries_file: `manifests/queries/${id}.yaml`, with_gold: 0, with_ground_truth: 0, unanswerable: 0 },
        }
        world.datasets.set(id, { view, questions: [Question.parse({ id: 'q-1', ...question })], documents: new Map() })
        world.experiment.datasets.push(view)
        return view
      }),
      addQuestion: os.datasets.addQuestion.handler(({ input: { dataset_id: id, ...question } }) => {
        const { questions, view } = datasetOf(id)
        const same = questions.find(({ query }) => query === question.query)
        if (same !== undefined) refuseField('query', `question ${same.id} asks this already`)
        questions.push(Question.parse({ id: `q-${questions.length + 1}`, ...question }))
        view.questions = questions.length
        return { question_id: `q-${questions.length}`, questions: questions.length }
      }),
      addDocument: os.datasets.addDocument.handler(({ input }) => {
        const { documents } = datasetOf(input.dataset_id)
        const path = `${input.name}.md`
        if (documents.has(path)) refuseField('name', `there is a ${path} already`)
        documents.set(path, input.text)
        return { path, size_bytes: Buffer.byteLength(input.text) }
      }),
      document: os.datasets.document.handler(({ input }) => {
        const { documents, questions } = datasetOf(input.dataset_id)
        const text = documents.get(input.path) ?? refuse('not_found', `no document ${input.path}`)
        const facts = questions.flatMap(({ id, gold }) =>
          gold
            .filter(({ document }) => document === input.path)
            .map(({ fact }) => ({ question_id: id, fact, start: text.indexOf(fact) })),
        )
        const end = Math.min(text.length, input.offset + input.limit)
        return {
          ...{ is_text: true as const, path: input.path, text: text.slice(input.offset, end), total: text.length },
          next_offset: end < text.length ? end : null,
          gold: facts
            .filter(({ start }) => start >= 0)
            .map((fact) => ({ ...fact, end: fact.start + fact.fact.length })),
          lost_gold: facts.filter(({ start }) => start < 0).map(({ question_id, fact }) => ({ question_id, fact })),
        }
      }),
      questions: os.datasets.questions.handler(({ input }) => {
        const { documents, questions } = datasetOf(input.dataset_id)
        const chosen = questions.filter(({ id }) => input.question_id === undefined || id === input.question_id)
        return {
          ...{ total: chosen.length, offset: input.offset },
          questions: chosen.slice(input.offset, input.offset + input.limit).map((question) => ({
            question,
            gold: question.gold.map(({ document, fact }) => {
              const start = documents.get(document)?.indexOf(fact) ?? -1
              return { document, fact, spans: start < 0 ? [] : [{ start, end: start + fact.length }] }
            }),
          })),
        }
      }),
      speechPrompt: os.datasets.speechPrompt.handler(({ input }) => ({
        prompt: speechPrompt([...datasetOf(input.dataset_id).documents.values()]),
      })),
      graph: os.datasets.graph.handler(({ input }) =>
        options.empty === true
          ? {
              ...{ ok: false as const, reason: 'not_ingested' as const },
              message: `nothing has been ingested for ${input.dataset_id} yet: run its ladder first`,
            }
          : { ok: true as const, picture: graphPicture(datasetOf(input.dataset_id), input.limit) },
      ),
    },
  }
}
