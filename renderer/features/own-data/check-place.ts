import type { DatasetSearch } from '../../app/search-params.ts'

/** The view of a dataset where a problem of its check is repaired. */
export function placeSearch(dataset: string, place: string, questionIds: readonly string[]): DatasetSearch {
  if (questionIds.includes(place)) return { dataset, view: 'questions', question: place }
  if (place === 'questions') return { dataset, view: 'questions' }
  return place === 'documents' ? { dataset, view: 'documents' } : { dataset, view: 'documents', document: place }
}
