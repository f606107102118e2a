import { ImportError, type Importer } from './importer.ts'
import { jsonRecords, listField, textField, type JsonRecord } from './json-records.ts'

// MultiHop-RAG (https://huggingface.co/datasets/yixuantt/MultiHopRAG): corpus.json, a list of news articles with `title`, `author`, `source`,
// `published_at`, `category`, `url`, `body`; MultiHopRAG.json, a list of `query`, `answer`, `question_type` and `evidence_list`, each with the
// `fact` and the `url` and `title` of its article. Questions of type null_query have no evidence: they are unanswerable. Questions name publishers
// and dates, so both are part of a document.

/** The URL, or the title where there is none. */
const keyOf = (value: Readonly<Record<string, unknown>>): string | null =>
  [value['url'], value['title']].find((each): each is string => typeof each === 'string' && each !== '') ?? null

function documentOf(record: JsonRecord) {
  const title = textField(record, 'title')
  const { value } = record
  const about = [value['source'], value['author'], value['published_at']].filter(
    (each) => typeof each === 'string' && each !== '',
  )
  return {
    key: keyOf(value) ?? title,
    title,
    text: `${about.length === 0 ? '' : `${about.join(' · ')}\n\n`}${textField(record, 'body')}`,
  }
}

export const multihopRag: Importer = {
  id: 'multihop-rag',
  label: 'MultiHop-RAG',
  expects: 'corpus.json and MultiHopRAG.json',
  licence: 'ODC-BY',
  url: 'https://huggingface.co/datasets/yixuantt/MultiHopRAG',
  isText: true,
  otherwise: 'document',
  open(files, _split, onBytes) {
    const corpus = files.find(({ first }) => first?.['body'] !== undefined && first['title'] !== undefined)
    const questions = files.find(({ first }) => first?.['evidence_list'] !== undefined && first['query'] !== undefined)
    if (corpus === undefined || questions === undefined) return null
    return {
      files: [corpus, questions],
      async *questions() {
        let number = 0
        for await (const record of jsonRecords(questions.path, { onBytes })) {
          number += 1
          const kind = textField(record, 'question_type')
          const answerable = kind !== 'null_query'
          const gold = listField(record, 'evidence_list').map((each) => {
            const value = (each ?? {}) as Record<string, unknown>
            const key = keyOf(value)
            if (key === null || typeof value['fact'] !== 'string')
              throw new ImportError(`${record.place}: an element of "evidence_list" has no "fact", "url" or "title"`)
            return { key, fact: value['fact'] }
          })
          const answer = answerable ? textField(record, 'answer') : null
          yield {
            // The format has no ids.
            id: `mhr-${number}`,
            query: textField(record, 'query'),
            answer,
            accepted: answer === null ? [] : [answer],
            answerable,
            hops: answerable ? new Set(gold.map(({ key }) => key)).size : null,
            stratum: kind,
            tags: [kind],
            gold: answerable ? gold : [],
            near: [],
            problem: answerable && gold.length === 0 ? 'it has no evidence' : null,
          }
        }
      },
      async *documents() {
        for await (const record of jsonRecords(corpus.path, { onBytes })) yield documentOf(record)
      },
    }
  },
}
