import { restsOnUsedPassages, shownPassage, type ShownPassage } from '../../../core/evidence/shown-passages.ts'
import { withoutThinking } from '../../../core/thinking.ts'
import { ChatCompletion } from '../../../contract/http/chat.ts'
import {
  AdvancedTranscription,
  ClipVerdict,
  ClonedVoice,
  ClonedVoices,
  SpeechModel,
} from '../../../contract/http/speech.ts'
import { callService, ServiceCallError } from '../../data/service-call.ts'

/** Fields and a file as a form; empty fields are left out. */
function uploadForm(fields: Record<string, string>, file: { name: string; blob: Blob; filename: string }): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== '') data.append(name, value)
  data.append(file.name, file.blob, file.filename)
  return data
}

/** The words of a recording, with their times. The prompt is a text on what it talks about, which some services use. Throws `ServiceCallError`. */
export async function transcribe(
  recording: Blob,
  prompt: string,
  signal: AbortSignal | null = null,
): Promise<AdvancedTranscription> {
  const fields = { return_timestamps: 'true', word_timestamps: 'true', prompt }
  const body = uploadForm(fields, { name: 'file', blob: recording, filename: 'recording' })
  const answer = await callService('stt', '/v1/audio/transcriptions/advanced', { method: 'POST', body, signal })
  return AdvancedTranscription.parse(await answer.json())
}

export interface Saying {
  input: string
  model?: string
  voice?: string
  speed?: number
}

/** The text as a WAV file. */
export async function speak(saying: Saying): Promise<Blob> {
  const answer = await callService('tts', '/v1/audio/speech', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(saying),
  })
  return answer.blob()
}

/** Every engine that can speak now; those that need a download first are not among them. */
export async function speechModels(): Promise<SpeechModel[]> {
  const { data } = (await (await callService('tts', '/v1/models')).json()) as { data: unknown[] }
  return data.map((model) => SpeechModel.parse(model))
}

export async function listVoices(): Promise<ClonedVoice[]> {
  return ClonedVoices.parse(await (await callService('tts', '/voices')).json()).voices
}

/** Returns what the service measures of a clip; nothing is kept. */
export async function checkClip(clip: Blob): Promise<ClipVerdict> {
  const body = uploadForm({}, { name: 'file', blob: clip, filename: 'clip.wav' })
  return ClipVerdict.parse(await (await callService('tts', '/voices/check', { method: 'POST', body })).json())
}

export interface NewVoice {
  name: string
  consent: string
  license: string
  provenance: string
  clip: Blob
}

export async function addVoice({ clip, ...fields }: NewVoice): Promise<ClonedVoice> {
  const body = uploadForm(fields, { name: 'file', blob: clip, filename: 'clip.wav' })
  const { voice } = (await (await callService('tts', '/voices', { method: 'POST', body })).json()) as { voice: unknown }
  return ClonedVoice.parse(voice)
}

const pathOf = (name: string): string => `/voices/${encodeURIComponent(name)}`

export async function voiceClip(name: string): Promise<Blob> {
  return (await callService('tts', `${pathOf(name)}/download`)).blob()
}

export async function renameVoice(name: string, newName: string): Promise<void> {
  const body = JSON.stringify({ new_name: newName })
  await callService('tts', pathOf(name), { method: 'PUT', body, headers: { 'content-type': 'application/json' } })
}

export async function deleteVoice(name: string): Promise<void> {
  await callService('tts', pathOf(name), { method: 'DELETE' })
}

/** An answer without the list of sources that a chat window would show below it. */
export interface SpokenAnswer {
  text: string
  /** Holds what it rests on: its contexts in the order of the prompt, or else what its engine reports as used, best first. */
  sources: ShownPassage[]
  /** True when the sources are passages that an engine reports as used. */
  isReported: boolean
}

/** The answer of one approach to a question, from the platform as it is configured. Throws `ServiceCallError`. */
export async function askApproach(model: string, question: string, signal: AbortSignal): Promise<SpokenAnswer> {
  const answer = await callService('platform', '/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: question }] }),
    signal,
  })
  const { data } = ChatCompletion.safeParse(await answer.json())
  const text = data?.rag_extension?.answer ?? data?.choices[0]?.message.content
  if (typeof text !== 'string') throw new ServiceCallError(502, 'the answer holds no text')
  const sources = (data?.rag_extension?.sources ?? []).map(shownPassage)
  const used = (data?.rag_extension?.used_passages ?? []).map(shownPassage)
  const isReported = restsOnUsedPassages(sources, used)
  return { text: withoutThinking(text), sources: isReported ? used : sources, isReported }
}
