/** The formats that the converter reads. */
export type DocumentFormat =
  | 'pdf'
  | 'docx'
  | 'doc'
  | 'pptx'
  | 'ppt'
  | 'xlsx'
  | 'rtf'
  | 'html'
  | 'png'
  | 'jpg'
  | 'tiff'
  | 'webp'

/** Describes what every part of the program knows about a document format. */
interface DocumentFormatDescriptor {
  label: string
  /** File name extensions in lower case, without the dot; the first is the usual one. */
  extensions: readonly string[]
  mimeType: string
  /** Documents of this format have pages or frames that `POST /v1/document/page` can draw. */
  hasDrawablePages: boolean
}

/**
 * The one list of document formats: the converter's readers, the ingestion's choice of files, the documents page and the shell's "open" read it.
 * A new format needs an entry here, a reader in `providers/converter/formats/`, and its line in `formats.ts` there.
 */
export const DOCUMENT_FORMATS: Readonly<Record<DocumentFormat, DocumentFormatDescriptor>> = {
  pdf: { label: 'PDF', extensions: ['pdf'], mimeType: 'application/pdf', hasDrawablePages: true },
  docx: {
    label: 'DOCX',
    extensions: ['docx', 'docm', 'dotx'],
    mimeType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    hasDrawablePages: false,
  },
  doc: { label: 'DOC', extensions: ['doc', 'dot'], mimeType: 'application/msword', hasDrawablePages: false },
  pptx: {
    label: 'PPTX',
    extensions: ['pptx', 'pptm', 'ppsx'],
    mimeType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    hasDrawablePages: false,
  },
  ppt: {
    label: 'PPT',
    extensions: ['ppt', 'pps'],
    mimeType: 'application/vnd.ms-powerpoint',
    hasDrawablePages: false,
  },
  xlsx: {
    label: 'XLSX',
    extensions: ['xlsx', 'xlsm'],
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    hasDrawablePages: false,
  },
  rtf: { label: 'RTF', extensions: ['rtf'], mimeType: 'application/rtf', hasDrawablePages: false },
  html: { label: 'HTML', extensions: ['html', 'htm', 'xhtml'], mimeType: 'text/html', hasDrawablePages: false },
  png: { label: 'PNG', extensions: ['png'], mimeType: 'image/png', hasDrawablePages: true },
  jpg: { label: 'JPEG', extensions: ['jpg', 'jpeg'], mimeType: 'image/jpeg', hasDrawablePages: true },
  tiff: { label: 'TIFF', extensions: ['tiff', 'tif'], mimeType: 'image/tiff', hasDrawablePages: true },
  webp: { label: 'WebP', extensions: ['webp'], mimeType: 'image/webp', hasDrawablePages: true },
}

/** Every extension of every format, each with its dot, in lower case. */
export const DOCUMENT_EXTENSIONS: readonly string[] = Object.values(DOCUMENT_FORMATS).flatMap(({ extensions }) =>
  extensions.map((extension) => `.${extension}`),
)

/** Lists what ingestion reads itself, as UTF-8. */
export const PLAIN_TEXT_EXTENSIONS: readonly string[] = ['.md', '.txt', '.rst', '.csv', '.json']

/** Recordings that the speech service writes down. */
export const RECORDING_EXTENSIONS: readonly string[] = ['.wav', '.mp3', '.flac', '.ogg', '.opus', '.m4a', '.webm']
