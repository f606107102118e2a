import type { DatasetCheck } from '../../../contract/control/own-datasets.ts'
import type { DatasetSearch } from '../../app/search-params.ts'

type Place = Pick<DatasetCheck['problems'][number], 'kind' | 'place'>

/** The view of a dataset where a problem of its check is repaired. */
export function placeSearch(dataset: string, { kind, place }: Place): DatasetSearch {
  if (kind === 'question') return { dataset, view: 'questions', question: place }
  if (place === 'questions') return { dataset, view: 'questions' }
  return place === 'documents' ? { dataset, view: 'documents' } : { dataset, view: 'documents', document: place }
}
