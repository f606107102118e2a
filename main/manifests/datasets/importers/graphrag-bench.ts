import { type Importer } from './importer.ts'
import { jsonRecords, textField } from './json-records.ts'
import { chosenFile } from './source-files.ts'

// GraphRAG-Bench (https://huggingface.co/datasets/GraphRAG-Bench/GraphRAG-Bench): Corpus/novel.json or medical.json with `corpus_name`, `context`;
// Questions/novel_questions.json with `id`, `source` (a corpus name), `question`, `answer`, `question_type`, and `evidence`, a text or a list of
// texts. A document is a whole novel, so evidence that it does not hold word for word is left out. Answers are sentences.

const factsOf = (evidence: unknown): string[] =>
  (Array.isArray(evidence) ? evidence : [evidence]).filter(
    (each): each is string => typeof each === 'string' && each.trim() !== '',
  )

export const graphragBench: Importer = {
  id: 'graphrag-bench',
  label: 'GraphRAG-Bench',
  expects: 'Corpus/novel.json and Questions/novel_questions.json, or those of medical (split: medical)',
  licence: 'MIT',
  url: 'https://huggingface.co/datasets/GraphRAG-Bench/GraphRAG-Bench',
  isText: true,
  otherwise: 'nothing',
  open(files, split, onBytes) {
    const corpus = chosenFile(
      files.filter(({ first }) => first?.['corpus_name'] !== undefined && first['context'] !== undefined),
      split,
    )
    const questions = chosenFile(
      files.filter(
        ({ first }) =>
          first?.['question_type'] !== undefined && first['source'] !== undefined && first['question'] !== undefined,
      ),
      split,
    )
    if (corpus === null || questions === null) return null
    return {
      files: [corpus, questions],
      async *questions() {
        for await (const record of jsonRecords(questions.path, { onBytes })) {
          const [source, kind] = [textField(record, 'source'), textField(record, 'question_type')]
          yield {
            // Ids repeat between sources.
            id: `${source}-${textField(record, 'id')}`,
            query: textField(record, 'question'),
            answer: textField(record, 'answer'),
            accepted: [],
            answerable: true,
            hops: null,
            stratum: kind,
            tags: [kind],
            gold: factsOf(record.value['evidence']).map((fact) => ({ key: source, fact })),
            near: [],
          }
        }
      },
      async *documents() {
        for await (const record of jsonRecords(corpus.path, { onBytes })) {
          const name = textField(record, 'corpus_name')
          yield { key: name, title: name, text: textField(record, 'context') }
        }
      },
    }
  },
}
