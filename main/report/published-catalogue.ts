import { isMap, isSeq, parseDocument } from 'yaml'
import { canonicalJson, DatasetCatalogue, describeIssues, type PublishedRun } from '../../contract/index.ts'
import { parseYaml } from '../manifests/load-manifest.ts'
import { ReportError } from './report-error.ts'

/**
 * The text of a dataset catalogue with `published` of one dataset set; comments, order and the layout of everything else stay. Throws
 * `ReportError` when the dataset is not there or the result would not be a valid catalogue that differs in nothing else.
 */
export function withPublished(text: string, file: string, datasetId: string, published: PublishedRun): string {
  const fail = (what: string): ReportError => new ReportError('catalogue', `${file}: ${what}`, { file })
  const document = parseDocument(text, { uniqueKeys: true, strict: true })
  if (document.errors.length > 0) throw fail(document.errors[0]!.message.split('\n')[0]!)
  const datasets = document.get('datasets')
  const node = isSeq(datasets) ? datasets.items.find((item) => isMap(item) && item.get('id') === datasetId) : undefined
  if (!isMap(node)) throw fail(`the dataset ${datasetId} is not in the catalogue`)
  node.set('published', document.createNode(published))
  const updated = document.toString({ lineWidth: 0, singleQuote: true })

  const before = DatasetCatalogue.safeParse(parseYaml(file, text))
  const after = DatasetCatalogue.safeParse(parseYaml(file, updated))
  if (!before.success) throw fail(describeIssues(before.error).join('; '))
  if (!after.success) throw fail(describeIssues(after.error).join('; '))
  const expected = before.data.datasets.map((dataset) =>
    dataset.id === datasetId ? { ...dataset, published } : dataset,
  )
  if (canonicalJson(after.data.datasets) !== canonicalJson(expected)) throw fail('something else would change')
  return updated
}
