import { Button, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClonedVoice } from '../../../contract/http/speech.ts'
import { ButtonWithReason } from '../../components/button-with-reason.tsx'
import { moment, withMoments } from '../../components/format.ts'
import { LoadingRows, Panel } from '../../components/states.tsx'
import { ServiceFault } from '../speech/service-fault.tsx'
import { Spectrogram } from '../speech/spectrogram.tsx'
import { deleteVoice, renameVoice, speak, voiceClip } from '../speech/speech-client.ts'
import styles from '../speech/speech.module.css'
import { Waveform } from '../speech/waveform.tsx'
import { VOICES_WORDS } from './voices-words.ts'

const WORDS = VOICES_WORDS.voicePanel

/** One registered voice: its clip, a sentence in it, both side by side; rename, delete. */
export function VoicePanel({ voice }: { voice: ClonedVoice }) {
  const client = useQueryClient()
  const [text, setText] = useState<string>(WORDS.example)
  const [newName, setNewName] = useState<string | null>(null)
  const [isSure, setIsSure] = useState(false)
  const clip = useQuery({ queryKey: ['speech', 'clip', voice.sha256], queryFn: () => voiceClip(voice.name) })
  const speaking = useMutation({ mutationFn: speak })
  const onSuccess = () => client.invalidateQueries({ queryKey: ['speech', 'voices'] })
  const rename = useMutation({ mutationFn: (name: string) => renameVoice(voice.name, name), onSuccess })
  const remove = useMutation({ mutationFn: () => deleteVoice(voice.name), onSuccess })
  const fault = clip.error ?? speaking.error ?? rename.error ?? remove.error
  return (
    <Panel
      title={voice.name}
      aside={
        <>
          <Button
            aria-label={WORDS.renameVoice(voice.name)}
            onClick={() => setNewName(newName === null ? voice.name : null)}
          >
            {WORDS.rename}
          </Button>
          <Button
            color="red"
            loading={remove.isPending}
            onBlur={() => setIsSure(false)}
            onClick={() => (isSure ? remove.mutate() : setIsSure(true))}
          >
            {isSure ? WORDS.deleteForGood : WORDS.delete}
            <span className="hidden-text">
              {isSure && WORDS.of} {voice.name}
            </span>
          </Button>
        </>
      }
    >
      {newName !== null && (
        <div className={styles.actions}>
          <TextInput
            aria-label={WORDS.newName}
            w="100%"
            maw={360}
            value={newName}
            maxLength={100}
            onChange={(event) => setNewName(event.currentTarget.value)}
          />
          <ButtonWithReason
            variant="default"
            why={newName.trim() === '' ? WORDS.needsNewName : newName === voice.name ? WORDS.sameName : null}
            loading={rename.isPending}
            onClick={() => rename.mutate(newName)}
          >
            {WORDS.renameToThis}
          </ButtonWithReason>
        </div>
      )}
      <p className="dim">
        {WORDS.facts(
          voice.seconds.toFixed(1),
          voice.median_f0_hz ?? '–',
          moment(voice.upload_date),
          voice.consent === null ? WORDS.notStated : withMoments(voice.consent),
          voice.license ?? WORDS.notStated,
          voice.provenance ?? WORDS.notStated,
        )}
      </p>
      {clip.isPending && <LoadingRows rows={1} height={82} />}
      {clip.data !== undefined && <Waveform sound={clip.data} label={WORDS.theClipOf(voice.name)} />}
      <div className={styles.actions}>
        <TextInput
          aria-label={WORDS.textFor(voice.name)}
          w="100%"
          maw={480}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <ButtonWithReason
          variant="default"
          why={text.trim() === '' ? WORDS.needsText : null}
          loading={speaking.isPending}
          aria-label={WORDS.speakAs(voice.name)}
          onClick={() => speaking.mutate({ input: text, voice: voice.name })}
        >
          {WORDS.speak}
        </ButtonWithReason>
      </div>
      {speaking.data !== undefined && <Waveform sound={speaking.data} label={WORDS.speechAs(voice.name)} />}
      {speaking.data !== undefined && clip.data !== undefined && (
        <div className={styles.pair}>
          <Spectrogram sound={clip.data} label={WORDS.clip} />
          <Spectrogram sound={speaking.data} label={WORDS.imitation} />
        </div>
      )}
      {fault !== null && <ServiceFault error={fault} service="tts" />}
    </Panel>
  )
}
