import type { AdvancedTranscription, SpokenSegment } from '../../../contract/http/speech.ts'

/** Forms in which a transcript can be taken along. */
const TRANSCRIPT_FORMS = ['text', 'JSON', 'SRT', 'VTT'] as const
export type TranscriptForm = (typeof TRANSCRIPT_FORMS)[number]

/** The forms that this transcript has: there are no subtitles without times. */
export function formsOf({ segments = [] }: AdvancedTranscription): TranscriptForm[] {
  return TRANSCRIPT_FORMS.filter((form) => segments.length > 0 || form === 'text' || form === 'JSON')
}

/** The transcript in that form. */
export function transcriptAs(form: TranscriptForm, transcript: AdvancedTranscription): string {
  const segments = transcript.segments ?? []
  switch (form) {
    case 'text':
      return segments.length === 0 ? transcript.text : segments.map(({ text }) => text).join('\n')
    case 'JSON':
      return JSON.stringify(transcript, null, 2)
    case 'SRT':
      return segments.map((segment, i) => `${i + 1}\n${span(segment, ',')}\n${segment.text}\n`).join('\n')
    case 'VTT':
      return `WEBVTT\n\n${segments.map((segment) => `${span(segment, '.')}\n${escaped(segment.text)}\n`).join('\n')}`
  }
}

function span({ start, end }: SpokenSegment, decimal: string): string {
  return `${timeCode(start, decimal)} --> ${timeCode(end, decimal)}`
}

function timeCode(seconds: number, decimal: string): string {
  const ms = Math.round(seconds * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const clock = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60].map(two).join(':')
  return `${clock}${decimal}${String(ms % 1000).padStart(3, '0')}`
}

/** Cue text may hold markup, so signs of it in speech are escaped. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
