import { createRequire } from 'node:module'
import { AudioError, mixToMono, toPcm16 } from './sound.ts'
import type { DecodedAudio, Sound } from './sound.ts'

interface FlacLibrary {
  isReady(): boolean
  on(event: 'ready', listener: () => void): void
}
interface FlacDecoder {
  decode(bytes: Uint8Array): boolean
  getSamples(interleaved: false): Uint8Array[]
  metadata: { sampleRate: number; channels: number; bitsPerSample: number } | undefined
  destroy(): void
}
interface FlacEncoder {
  encode(pcm?: Int32Array, count?: number, interleaved?: true): boolean
  getSamples(): Uint8Array
  destroy(): void
}

const require = createRequire(import.meta.url)
let library: Promise<FlacLibrary> | null = null

/** The asm.js build: the WebAssembly one asks `fetch` for a file path, which Node refuses. */
async function loadLibrary(): Promise<FlacLibrary> {
  const flac = (require('libflacjs') as (variant: string) => FlacLibrary)('release')
  if (!flac.isReady()) await new Promise<void>((resolve) => flac.on('ready', resolve))
  return flac
}

/** Sound of a FLAC file; its checksum is verified. Throws `AudioError`. */
export async function decodeFlac(bytes: Buffer): Promise<DecodedAudio> {
  const flac = await (library ??= loadLibrary())
  const { Decoder } = require('libflacjs/lib/decoder.js') as {
    Decoder: new (lib: FlacLibrary, o: object) => FlacDecoder
  }
  const decoder = new Decoder(flac, { verify: true })
  try {
    const isWhole = decoder.decode(new Uint8Array(bytes))
    const { metadata } = decoder
    if (!isWhole || metadata === undefined) throw new AudioError('audio_undecodable', 'the FLAC file is damaged')
    const channels = decoder.getSamples(false).map((raw) => fromLittleEndian(raw, metadata.bitsPerSample))
    return {
      sound: { samples: mixToMono(channels), sampleRate: metadata.sampleRate },
      format: 'flac',
      channels: metadata.channels,
    }
  } finally {
    decoder.destroy()
  }
}

/** A FLAC file of 16 bits, one channel. */
export async function encodeFlac(sound: Sound): Promise<Buffer> {
  const flac = await (library ??= loadLibrary())
  const { Encoder } = require('libflacjs/lib/encoder.js') as {
    Encoder: new (lib: FlacLibrary, o: object) => FlacEncoder
  }
  const encoder = new Encoder(flac, {
    channels: 1,
    sampleRate: sound.sampleRate,
    bitsPerSample: 16,
    compression: 5,
    totalSamples: sound.samples.length,
    verify: false,
  })
  try {
    const pcm = Int32Array.from(toPcm16(sound.samples))
    if (!encoder.encode(pcm, pcm.length, true) || !encoder.encode()) throw new Error('the FLAC encoder failed')
    return Buffer.from(encoder.getSamples())
  } finally {
    encoder.destroy()
  }
}

function fromLittleEndian(raw: Uint8Array, bits: number): Float32Array {
  // The library widens 24 bits to 32 without scaling.
  const width = bits <= 8 ? 1 : bits <= 16 ? 2 : 4
  const view = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
  return Float32Array.from({ length: Math.floor(raw.length / width) }, (_, i) => {
    return view.readIntLE(i * width, width) / 2 ** (bits - 1)
  })
}
