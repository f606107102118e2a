import type {
  GraphDocStatus,
  GraphDocumentStatus,
  GraphPage,
  GraphPageRequest,
  GraphTrackStatus,
} from '../../../../contract/index.ts'
import type { StoredDocument } from '../storage/document-store.ts'

/** A document as callers see it. */
export function docStatus(document: StoredDocument): GraphDocStatus {
  return {
    id: document.id,
    content_summary: document.summary,
    content_length: document.contentLength,
    status: document.status,
    created_at: new Date(document.createdMs).toISOString(),
    updated_at: new Date(document.updatedMs).toISOString(),
    track_id: document.trackId,
    chunks_count: document.chunks,
    error_msg: document.error,
    metadata: { title: document.title, chunks_extracted: document.extracted, extract_model: document.extractModel },
    file_path: document.filePath,
  }
}

export function trackStatus(trackId: string, documents: readonly StoredDocument[]): GraphTrackStatus {
  const summary: Record<string, number> = {}
  for (const { status } of documents) summary[status] = (summary[status] ?? 0) + 1
  return {
    track_id: trackId,
    documents: documents.map(docStatus),
    total_count: documents.length,
    status_summary: summary,
  }
}

export function pageOf(
  request: GraphPageRequest,
  documents: readonly StoredDocument[],
  counts: Record<GraphDocumentStatus, number>,
): GraphPage {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const { status_filter: filter } = request
  const total = filter === null || filter === undefined ? all : counts[filter]
  const pages = Math.ceil(total / request.page_size)
  return {
    documents: documents.map(docStatus),
    pagination: {
      page: request.page,
      page_size: request.page_size,
      total_count: total,
      total_pages: pages,
      has_next: request.page < pages,
      has_prev: request.page > 1,
    },
    status_counts: { all, ...counts },
  }
}
