/** A recorded or sent sound in the page: one channel. */
export interface PageSound {
  samples: Float32Array<ArrayBuffer>
  sampleRate: number
}

/** Throws with a sentence where there is nothing in a file, which explains more than that it cannot be decoded. */
export function requireContent(file: Blob): void {
  if (file.size === 0) throw new Error(`${nameOf(file)} is empty: it has 0 bytes.`)
}

const nameOf = (file: Blob): string => (file instanceof File ? file.name : 'The recording')

/** The sound in any file that the browser reads. Throws with a sentence. */
export async function decodeSound(file: Blob): Promise<PageSound> {
  requireContent(file)
  const context = new AudioContext()
  try {
    const buffer = await context.decodeAudioData(await file.arrayBuffer())
    const samples = new Float32Array(buffer.length)
    for (let channel = 0; channel < buffer.numberOfChannels; channel += 1) {
      buffer.getChannelData(channel).forEach((value, i) => (samples[i]! += value / buffer.numberOfChannels))
    }
    return { samples, sampleRate: buffer.sampleRate }
  } catch {
    throw new Error(
      `${nameOf(file)} contains no audio that the browser can decode. WAV, MP3, FLAC and Opus can be read.`,
    )
  } finally {
    await context.close()
  }
}

/** The part between two times, in seconds. */
export function cutSound({ samples, sampleRate }: PageSound, start: number, end: number): PageSound {
  return { samples: samples.slice(Math.round(start * sampleRate), Math.round(end * sampleRate)), sampleRate }
}

/** A WAV file of 16 bits. */
export function wavFile({ samples, sampleRate }: PageSound): Blob {
  const view = new DataView(new ArrayBuffer(44 + samples.length * 2))
  const text = (at: number, letters: string): void => {
    for (let i = 0; i < letters.length; i += 1) view.setUint8(at + i, letters.charCodeAt(i))
  }
  text(0, 'RIFF')
  view.setUint32(4, 36 + samples.length * 2, true)
  text(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * 2, true)
  view.setUint16(32, 2, true)
  view.setUint16(34, 16, true)
  text(36, 'data')
  view.setUint32(40, samples.length * 2, true)
  samples.forEach((sample, i) => view.setInt16(44 + i * 2, Math.max(-1, Math.min(1, sample)) * 32_767, true))
  return new Blob([view], { type: 'audio/wav' })
}
