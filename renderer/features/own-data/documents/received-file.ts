import type { FilePiece } from '../../../../contract/control/dataset-transfer.ts'
import { OWN_WORDS } from '../own-words.ts'

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

/** Joins the pieces of a file; fails when the end is missing. */
export async function receivedFile(pieces: AsyncIterable<FilePiece>): Promise<{ name: string; parts: BlobPart[] }> {
  const parts: BlobPart[] = []
  let name = ''
  let isComplete = false
  for await (const piece of pieces) {
    if (piece.type === 'begin') name = piece.file_name
    else if (piece.type === 'bytes') parts.push(bytesOf(piece.base64))
    else isComplete = true
  }
  if (!isComplete) throw new Error(OWN_WORDS.transfer.incomplete)
  return { name, parts }
}
