import path from 'node:path'
import { AdvancedTranscription, speechPrompt } from '../../../contract/index.ts'
import type { DocumentParser } from './document-parser.ts'
import { serviceUpload } from './service-upload.ts'
import type { ServiceAddress } from './service-upload.ts'

const EXTENSIONS = new Set(['.wav', '.mp3', '.flac', '.ogg', '.opus', '.m4a', '.webm'])

/** Reads recordings through the speech-to-text service's HTTP contract, which is told the texts that stand beside them: a line per sentence. Throws `ParserServiceError` with what it was told. */
export function speechParser(address: ServiceAddress): DocumentParser & { close(): Promise<void> } {
  const service = serviceUpload('speech', address)
  return {
    name: 'speech',
    accepts: ({ path: file }) => EXTENSIONS.has(path.posix.extname(file).toLowerCase()),
    close: () => service.close(),
    async parse(file, signal, corpus) {
      const { name } = path.posix.parse(file.path)
      const prompt = speechPrompt(await corpus())
      const fields = { return_timestamps: 'true', ...(prompt === '' ? {} : { prompt }) }
      const answer = await service.send('/v1/audio/transcriptions/advanced', file, fields, signal)
      const { text, segments = [] } = AdvancedTranscription.parse(JSON.parse(answer))
      return {
        title: name.replaceAll(/[-_]+/g, ' '),
        // A recogniser that tells no times knows no segments either.
        text: segments.length === 0 ? text : segments.map((segment) => segment.text).join('\n'),
      }
    },
  }
}
