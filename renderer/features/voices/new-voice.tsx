import { Button, Checkbox, Loader, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClipVerdict } from '../../../contract/http/speech.ts'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { ProblemLine } from '../../components/dialog-form.tsx'
import { FilePicker } from '../../components/file-dropzone.tsx'
import { FactTable } from '../../components/tables.tsx'
import { notifyDone } from '../../components/notify.ts'
import { Panel } from '../../components/states.tsx'
import { RecordButton } from '../speech/record-button.tsx'
import { ServiceFault } from '../speech/service-fault.tsx'
import { cutSound, decodeSound, wavFile } from '../speech/sound-buffer.ts'
import type { PageSound } from '../speech/sound-buffer.ts'
import { addVoice, checkClip, type NewVoice as NewVoiceFields } from '../speech/speech-client.ts'
import styles from '../speech/speech.module.css'
import { Waveform } from '../speech/waveform.tsx'
import { VOICES_WORDS } from './voices-words.ts'

const WORDS = VOICES_WORDS.newVoice

/** Holds most sounds of English in about ten seconds. */
const TEXT_TO_READ = WORDS.script + WORDS.scriptEnd

/** One clip with all that was entered for it, so that nothing of that is used for the next clip. */
interface Take {
  blob: Blob
  sound: PageSound
  /** The chosen part, in seconds. */
  start: number
  end: number
  name: string
  license: string
  provenance: string
  consents: boolean
}

const UNSAID = { name: '', license: '', provenance: '', consents: false }

/** From a recording or file to a registered voice: trim, verdict, names, consent. */
export function NewVoice() {
  const client = useQueryClient()
  const [take, setTake] = useState<Take | null>(null)
  const reading = useMutation({
    mutationFn: async (blob: Blob): Promise<Take> => {
      const sound = await decodeSound(blob)
      const seconds = sound.samples.length / sound.sampleRate
      return { blob: wavFile(sound), sound, start: 0, end: seconds, ...UNSAID }
    },
    onSuccess: (next) => {
      setTake(next)
      check.reset()
      save.reset()
    },
  })
  const check = useMutation({ mutationFn: checkClip })
  const save = useMutation({
    mutationFn: (saved: Take) => addVoice(voiceOf(saved)),
    onSuccess: async ({ name }, { blob }) => {
      notifyDone(WORDS.registered(name))
      // Not the next clip, which may have come meanwhile.
      setTake((now) => (now?.blob === blob ? null : now))
      await client.invalidateQueries({ queryKey: ['speech', 'voices'] })
    },
  })
  const change = (part: Partial<Take>): void => setTake((now) => now && { ...now, ...part })
  return (
    <Panel title={WORDS.newVoice}>
      <p>{WORDS.imitates}</p>
      <p>{WORDS.readAloud}</p>
      <p className={styles.read}>{TEXT_TO_READ}</p>
      <div className={styles.actions}>
        <RecordButton
          maxSeconds={RECORDED_SECONDS}
          label={WORDS.record}
          isPrimary={take === null}
          onRecorded={reading.mutate}
        />
        <FilePicker
          label={WORDS.chooseAFile}
          accept="audio/*"
          onFiles={([file]) => file !== undefined && reading.mutate(file)}
        />
        {reading.isPending && (
          <span role="status">
            <Loader size="xs" />
            {WORDS.readingTheClip}
          </span>
        )}
      </div>
      <ProblemLine problem={reading.error?.message} />
      {take !== null && (
        <div className="stack">
          <Waveform
            sound={take.blob}
            label={WORDS.theClip}
            onTrim={(start, end) => {
              change({ start, end })
              check.reset()
            }}
          />
          <div className={styles.actions}>
            <Button loading={check.isPending} onClick={() => check.mutate(clipOf(take))}>
              {WORDS.checkTheClip}
            </Button>
            <span className="dim">{WORDS.chosenLength((take.end - take.start).toFixed(1), LONGEST_CLIP_SECONDS)}</span>
          </div>
          {check.isError && <ServiceFault error={check.error} service="tts" />}
          {check.data !== undefined && <VerdictView verdict={check.data} />}
          {check.data?.ok === true && (
            <>
              <div className="fields">
                {(['name', 'license', 'provenance'] as const).map((field) => (
                  <TextInput
                    key={field}
                    label={{ name: WORDS.name, license: WORDS.licence, provenance: WORDS.origin }[field]}
                    required={field === 'name'}
                    maxLength={field === 'name' ? 100 : 2000}
                    value={take[field]}
                    onChange={(event) => change({ [field]: event.currentTarget.value })}
                  />
                ))}
              </div>
              <Checkbox
                label={WORDS.consent}
                checked={take.consents}
                onChange={(event) => change({ consents: event.currentTarget.checked })}
              />
              <div className={styles.actions}>
                <ButtonWithReason
                  loading={save.isPending}
                  why={take.name.trim() === '' ? WORDS.needsName : take.consents ? null : WORDS.needsConsent}
                  onClick={() => save.mutate(take)}
                >
                  {WORDS.saveTheVoice}
                </ButtonWithReason>
              </div>
              {save.isError && <ServiceFault error={save.error} service="tts" />}
            </>
          )}
        </div>
      )}
    </Panel>
  )
}

const clipOf = ({ sound, start, end }: Take): Blob => wavFile(cutSound(sound, start, end))

const voiceOf = (take: Take): NewVoiceFields => ({
  name: take.name,
  license: take.license,
  provenance: take.provenance,
  clip: clipOf(take),
  consent: WORDS.consentRecord(new Date().toISOString()),
})

/** Longest clip that can become a voice: the service refuses longer ones. */
export const LONGEST_CLIP_SECONDS = 30

/** A recording ends a moment after its limit has passed, and must be a clip that is taken even then. */
export const RECORDED_SECONDS = LONGEST_CLIP_SECONDS - 0.5

/** Shows what was measured of a clip, and what is wrong with it. */
function VerdictView({ verdict }: { verdict: ClipVerdict }) {
  // A unit stays with its number, and a minus is a true one.
  const inUnit = (value: number, unit: string) => `${value.toFixed(1).replace('-', '−')}\u00a0${unit}`
  const measured: [string, string][] = [
    [WORDS.length, inUnit(verdict.seconds, 's')],
    [WORDS.level, inUnit(verdict.speech_level_db, 'dB')],
    [WORDS.peak, inUnit(verdict.peak_db, 'dB')],
    [WORDS.atFullScale, inUnit(100 * verdict.clipped_ratio, '%')],
    [WORDS.silence, inUnit(100 * verdict.silent_ratio, '%')],
    [WORDS.aboveTheBackground, inUnit(verdict.signal_to_noise_db, 'dB')],
    [WORDS.pitchMedian, verdict.median_f0_hz === null ? '–' : inUnit(verdict.median_f0_hz, WORDS.hz)],
  ]
  return (
    <div role="status" aria-label={WORDS.verdict}>
      <p>
        <strong>{verdict.ok ? WORDS.usable : WORDS.unusable}</strong>
      </p>
      <ul className="stack tight">
        {verdict.findings.map(({ code, message, fatal }) => (
          <li key={code}>
            {fatal ? '▲' : '◐'} {message}
          </li>
        ))}
      </ul>
      <FactTable facts={measured} />
    </div>
  )
}
