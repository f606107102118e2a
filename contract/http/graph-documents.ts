import { z } from 'zod'

export const GraphDocumentStatus = z.enum(['pending', 'processing', 'processed', 'failed'])
export type GraphDocumentStatus = z.infer<typeof GraphDocumentStatus>

const noBlank = z.string().trim().min(1)

/**
 * `POST /documents/text`. `title` and `replace` are additive: with `replace` a new text takes the place of the one known under `file_source`,
 * without it a known name or text is answered as `duplicated` and nothing changes.
 */
export const GraphTextRequest = z.object({
  text: noBlank,
  file_source: z.string().trim().max(1024).nullish(),
  title: z.string().trim().max(1024).nullish(),
  replace: z.boolean().nullish(),
})

/** `POST /documents/texts`. */
export const GraphTextsRequest = z
  .object({
    texts: z.array(noBlank).min(1).max(10_000),
    file_sources: z.array(z.string().trim().max(1024)).max(10_000).nullish(),
  })
  .refine((value) => (value.file_sources?.length ?? 0) <= value.texts.length, {
    path: ['file_sources'],
    message: 'there are more sources than texts',
  })

/** Answer to each way of handing in documents. `duplicated`: the text or the name is known already; that document's track id comes back. */
export const GraphInsertResponse = z.looseObject({
  status: z.enum(['success', 'duplicated', 'partial_success', 'failure']),
  message: z.string(),
  track_id: z.string(),
})
export type GraphInsertResponse = z.infer<typeof GraphInsertResponse>

/** `DELETE /documents`. */
export const GraphClearResponse = z.looseObject({
  status: z.enum(['success', 'partial_success', 'busy', 'fail']),
  message: z.string(),
})
export type GraphClearResponse = z.infer<typeof GraphClearResponse>

/** `DELETE /documents/delete_document`. */
export const GraphDeleteRequest = z
  .object({ doc_ids: z.array(noBlank).min(1).max(10_000), delete_file: z.boolean().nullish() })
  .refine((value) => new Set(value.doc_ids).size === value.doc_ids.length, {
    path: ['doc_ids'],
    message: 'document ids must be unique',
  })

/** One document on its way into the graph. */
export const GraphDocStatus = z.looseObject({
  id: z.string(),
  content_summary: z.string(),
  content_length: z.int().min(0),
  /** Services differ in letter case: compared without it. */
  status: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  track_id: z.string().nullish(),
  chunks_count: z.int().nullish(),
  error_msg: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  file_path: z.string(),
})
export type GraphDocStatus = z.infer<typeof GraphDocStatus>

/** `GET /documents/track_status/{id}`. */
export const GraphTrackStatus = z.looseObject({
  track_id: z.string(),
  documents: z.array(GraphDocStatus),
  total_count: z.int().min(0),
  status_summary: z.record(z.string(), z.int().min(0)),
})
export type GraphTrackStatus = z.infer<typeof GraphTrackStatus>

/** `POST /documents/paginated`. */
export const GraphPageRequest = z.object({
  /** In any letter case. LightRAG's states between pending and processed are `processing` here. */
  status_filter: z
    .string()
    .transform((status) => status.toLowerCase())
    .transform((status) => (['parsing', 'analyzing', 'preprocessed'].includes(status) ? 'processing' : status))
    .pipe(GraphDocumentStatus)
    .nullish(),
  page: z.int().min(1).default(1),
  page_size: z.int().min(10).max(200).default(50),
  sort_field: z.enum(['created_at', 'updated_at', 'id', 'file_path']).default('updated_at'),
  sort_direction: z.enum(['asc', 'desc']).default('desc'),
})
export type GraphPageRequest = z.infer<typeof GraphPageRequest>

export const GraphPage = z.looseObject({
  documents: z.array(GraphDocStatus),
  pagination: z.looseObject({
    page: z.int(),
    page_size: z.int(),
    total_count: z.int(),
    total_pages: z.int(),
    has_next: z.boolean(),
    has_prev: z.boolean(),
  }),
  status_counts: z.record(z.string(), z.int().min(0)),
})
export type GraphPage = z.infer<typeof GraphPage>

/** `GET /documents/pipeline_status`; `batchs` is the engine's own spelling. */
export const GraphPipelineStatus = z.looseObject({
  autoscanned: z.boolean().optional(),
  busy: z.boolean(),
  job_name: z.string().nullish(),
  /** RFC 3339; null when nothing was started yet. */
  job_start: z.string().nullish(),
  docs: z.int().nullish(),
  batchs: z.int().nullish(),
  cur_batch: z.int().nullish(),
  request_pending: z.boolean().nullish(),
  latest_message: z.string().nullish(),
  history_messages: z.array(z.string()).nullish(),
  update_status: z.record(z.string(), z.unknown()).nullish(),
})
export type GraphPipelineStatus = z.infer<typeof GraphPipelineStatus>
