import { basename } from 'node:path'
import { ImportError, type Importer, type SourceFile } from './importer.ts'
import { jsonRecords, textField, textLines, withoutGzip } from './json-records.ts'

// BEIR (https://github.com/beir-cellar/beir/wiki/Load-your-custom-dataset): corpus.jsonl with `_id`, `title`, `text`; queries.jsonl with `_id`,
// `text`; qrels/<split>.tsv with a head and query-id, corpus-id, score. Judged documents with a score above 0 are gold as a whole, each for itself: one that is
// missing from the corpus does not spoil the others. A query
// without any is left out. The format has no answers.

const has = ({ first }: SourceFile, ...names: string[]): boolean => names.every((name) => first?.[name] !== undefined)

function splitOf(files: readonly SourceFile[], split: string | null): SourceFile | null {
  const judged = files.filter(
    ({ name }) => /(^|\/)qrels\/[^/]+\.tsv(\.gz)?$/.test(name) || /(^|\/)qrels[^/]*\.tsv(\.gz)?$/.test(name),
  )
  if (judged.length === 0) return null
  const splitName = ({ name }: SourceFile): string => basename(withoutGzip(name), '.tsv')
  const named = (wanted: string): SourceFile | undefined =>
    judged.find((file) => splitName(file) === wanted || splitName(file) === `qrels.${wanted}`)
  if (split === null) return named('test') ?? named('dev') ?? judged[0]!
  const found = named(split)
  if (found !== undefined) return found
  throw new ImportError(`there is no split "${split}": expected one of ${judged.map(splitName).join(', ')}`)
}

/** Gold documents by question. */
async function judgements(file: SourceFile, onBytes: (bytes: number) => void): Promise<Map<string, string[]>> {
  const gold = new Map<string, string[]>()
  let number = 0
  for await (const line of textLines(file.path, onBytes)) {
    number += 1
    if (line.trim() === '') continue
    const cells = line.split('\t')
    // TREC's own form has a column of zeros between the ids.
    const [query, document, score] = cells.length >= 4 ? [cells[0], cells[2], cells[3]] : cells
    const relevance = Number(score)
    if (number === 1 && Number.isNaN(relevance)) continue
    if (query === undefined || document === undefined || score === undefined || Number.isNaN(relevance))
      throw new ImportError(
        `${basename(file.path)}, line ${number}: expected query-id, corpus-id and score, separated by tabs`,
      )
    if (relevance <= 0) continue
    const known = gold.get(query)
    if (known === undefined) gold.set(query, [document])
    else known.push(document)
  }
  return gold
}

export const beir: Importer = {
  id: 'beir',
  label: 'BEIR',
  expects: 'corpus.jsonl, queries.jsonl and qrels/<split>.tsv',
  // Many datasets have this form: their files name neither a source nor a licence.
  licence: '',
  url: '',
  isText: true,
  otherwise: 'document',
  needsAllGold: false,
  open(files, split, onBytes) {
    const corpus = files.find((file) => has(file, '_id', 'text') && /corpus[^/]*$/i.test(file.name))
    const queries = files.find((file) => has(file, '_id', 'text') && /quer(y|ies)[^/]*$/i.test(file.name))
    if (corpus === undefined || queries === undefined) return null
    const qrels = splitOf(files, split)
    if (qrels === null) return null
    return {
      files: [corpus, queries, qrels],
      async *questions() {
        const gold = await judgements(qrels, onBytes)
        for await (const record of jsonRecords(queries.path, { onBytes })) {
          const id = textField(record, '_id')
          const judged = gold.get(id)
          // Queries of all splits are in one file.
          if (judged === undefined) continue
          yield {
            id,
            query: textField(record, 'text'),
            answer: null,
            accepted: [],
            answerable: true,
            hops: hopsOf(record.value['metadata']),
            stratum: '',
            tags: [],
            gold: judged.map((key) => ({ key })),
            near: [],
          }
        }
      },
      async *documents() {
        for await (const record of jsonRecords(corpus.path, { onBytes })) {
          const title = record.value['title']
          yield {
            key: textField(record, '_id'),
            title: typeof title === 'string' ? title : '',
            text: textField(record, 'text'),
          }
        }
      },
    }
  },
}

/** Hops of a question whose metadata state them, as sets of several hops do that are kept in this form; null elsewhere. */
function hopsOf(metadata: unknown): number | null {
  const hops = typeof metadata === 'object' && metadata !== null ? (metadata as { hops?: unknown }).hops : undefined
  return typeof hops === 'number' && Number.isInteger(hops) ? hops : null
}
