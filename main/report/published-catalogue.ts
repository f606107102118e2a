import { isMap, isSeq, parseDocument, type Document } from 'yaml'
import {
  canonicalJson,
  DatasetCatalogue,
  DatasetFile,
  DATASETS_FOLDER,
  describeIssues,
  type PublishedRun,
} from '../../contract/index.ts'
import { parseYaml } from '../manifests/load-manifest.ts'
import { ReportError } from './report-error.ts'

/**
 * The text of the manifest that declares a dataset with its `published` set; comments, order and the layout of everything else stay. Throws
 * `ReportError` when the dataset is not there or the result would not be a valid manifest that differs in nothing else.
 */
export function withPublished(text: string, file: string, datasetId: string, published: PublishedRun): string {
  const fail = (what: string): ReportError => new ReportError('catalogue', `${file}: ${what}`, { file })
  const document = parseDocument(text, { uniqueKeys: true, strict: true })
  if (document.errors.length > 0) throw fail(document.errors[0]!.message.split('\n')[0]!)
  const isOwnFile = file.startsWith(`${DATASETS_FOLDER}/`)
  const node = isOwnFile ? document.contents : entryOf(document, datasetId)
  if (!isMap(node)) throw fail(isOwnFile ? 'expected a map' : `the dataset ${datasetId} is not in the catalogue`)
  node.set('published', document.createNode(published))
  const updated = document.toString({ lineWidth: 0, singleQuote: true })

  const schema = isOwnFile ? DatasetFile : DatasetCatalogue
  const before = schema.safeParse(parseYaml(file, text))
  const after = schema.safeParse(parseYaml(file, updated))
  if (!before.success) throw fail(describeIssues(before.error).join('; '))
  if (!after.success) throw fail(describeIssues(after.error).join('; '))
  if (canonicalJson(after.data) !== canonicalJson(publishedIn(before.data, datasetId, published)))
    throw fail('something else would change')
  return updated
}

const entryOf = (document: Document, datasetId: string): unknown => {
  const datasets = document.get('datasets')
  return isSeq(datasets) ? datasets.items.find((item) => isMap(item) && item.get('id') === datasetId) : undefined
}

function publishedIn(
  manifest: DatasetFile | DatasetCatalogue,
  datasetId: string,
  published: PublishedRun,
): DatasetFile | DatasetCatalogue {
  if (!('datasets' in manifest)) return { ...manifest, published }
  const datasets = manifest.datasets.map((dataset) => (dataset.id === datasetId ? { ...dataset, published } : dataset))
  return { ...manifest, datasets }
}
