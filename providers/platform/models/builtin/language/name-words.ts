import type { EntityType } from '../../prompts/extract-task.ts'

/** Nouns by the type that they give away as the last word of a name ("… Institute"), before "of" ("Isle of …"), or as an explanation of one. */
const NOUNS: Partial<Record<EntityType, string>> = {
  organization: `academy agency airline alliance army association authority bank board brewery brothers bureau business cabinet carrier centre
    center charity church club college commission committee company consortium cooperative corporation council court department directorate
    employer enterprise faculty federation firm force foundation fund gmbh guild house inc institute institution laboratory labs league limited
    line ltd maker manufacturer ministry movement navy newspaper office orchestra organisation organization partners party plc police press
    publisher regiment school secretariat service shipyard society sons station studio supplier syndicate systems team theatre trading trust
    union university vendor works yard`,
  place: `archipelago bay beach canyon cape capital city coast country county creek delta desert district empire estuary field fjord forest glacier
    gulf hamlet harbour harbor headland hill island isle kingdom lake land marsh moor mount mountain nation ocean parish peninsula plain point
    port principality province reef region republic ridge river rock sea settlement shelf shoal shore sound state strait street suburb territory
    town valley village avenue road square quay`,
  facility: `abbey airfield airport aqueduct archive barracks bridge building canal castle cathedral chapel cinema dam depot dock factory farm fort
    gallery hall hospital hotel inn jetty lab library light lighthouse lock mill mine monastery monument museum observatory palace pier plant
    prison pub quarry railway refinery reservoir stadium temple terminal tower tunnel warehouse wharf workshop`,
  agreement:
    'accord act agreement armistice charter constitution contract convention declaration pact protocol statute treaty deal',
  project:
    'campaign census expedition experiment initiative mission operation plan program programme project scheme study survey trial voyage',
  event: `accident affair anniversary attack battle collapse collision competition conference congress coup crash crisis cup disaster earthquake
    election epidemic eruption exhibition explosion fair famine festival fire flood games incident inquiry massacre meeting mutiny outbreak
    plague raid rebellion revolution riot siege storm strike summit uprising war wreck`,
  publication: `atlas bulletin chronicle dictionary diary gazette handbook herald history journal magazine manual memoirs news newsletter
    quarterly record report review times tribune book novel paper poem play essay song album`,
  vessel:
    'barge boat cruiser cutter destroyer ferry frigate freighter icebreaker ketch liner schooner ship sloop steamer submarine tanker trawler tug yacht vessel',
  artifact:
    'bell camera clock engine instrument machine medal painting sculpture statue telescope aircraft vehicle locomotive device',
  software:
    'app application backdoor browser database framework library loader malware platform ransomware software tool toolkit trojan worm',
  technique: 'algorithm method process tactic technique vulnerability',
  group: 'band clan crew dynasty family gang tribe',
  law: 'law legislation ordinance rule',
  condition: 'disease disorder fever illness infection syndrome',
  substance: 'acid chemical compound drug metal mineral oxide vaccine',
  product: 'brand console model smartphone',
}

/** Lists what people are called by what they do or are; endings cover the rest. */
const ROLES = new Set(
  `ambassador analyst apprentice architect astronomer author aunt baron bishop boy brother captain chairman chancellor chef chemist chief clerk
   coach colonel commander composer consul cousin daughter dean designer director doctor duke earl economist editor emperor empress engineer
   explorer father founder general girl governor heir historian husband inventor investigator journalist judge keeper king lady lawyer
   lieutenant man mathematician mayor mechanic midwife minister mother navigator nephew niece nurse officer owner painter partner physician
   physicist pilot pioneer poet politician president priest prince princess professor pupil queen reporter researcher sailor scholar
   scientist sculptor secretary senator sergeant singer sister skipper soldier son student surgeon surveyor teacher technician uncle
   widow widower wife witness woman writer`.split(/\s+/),
)

const byWord = new Map<string, EntityType>()
for (const [type, words] of Object.entries(NOUNS) as [EntityType, string][]) {
  for (const word of words.trim().split(/\s+/)) if (!byWord.has(word)) byWord.set(word, type)
}

const singular = (noun: string): string => (/[^s]s$/.test(noun) ? noun.slice(0, -1) : noun)

/** The type that a noun stands for, as the last word of a name or as its explanation; null when it has none. */
export function typeOfNoun(noun: string): EntityType | null {
  const word = noun.toLowerCase()
  if (ROLES.has(word) || ROLES.has(singular(word))) return 'person'
  const listed = byWord.get(word) ?? byWord.get(singular(word))
  if (listed !== undefined) return listed
  return /(?:ologist|ographer|keeper|master|wright|monger|woman|builder|holder)$/.test(word) ? 'person' : null
}

/** Everyday European given names. Far from all: a name that is missing is recognized by the text around it. */
const GIVEN_NAMES = new Set(
  `albert alexander alfred alice andrea andrew angela ann anna anne anthony antonio arthur barbara ben benjamin carl carlos caroline catherine
   charles charlotte christian christina christopher claire daniel david donald dorothy edgar edward eleanor elizabeth emil emily emma eric
   ernest eva felix florence frances francis frank franz frederick george gerald giovanni grace gustav hannah hans harold harry heinrich
   helen henri henry herbert hermann hugh ida isabel ivan jack jacob jacques james jan jane jean john jose joseph juan julia karl kate
   laura lawrence leo leon louis louise lucy ludwig luke marco margaret maria marie mark martha martin mary max michael mohammed nancy
   nicholas nina oliver oscar otto pablo patricia paul peter philip pierre rachel ralph richard robert roger rosa rudolf ruth samuel sarah
   simon sofia stanley stefan stephen susan thomas victor victoria viktor vincent vladimir walter werner wilhelm william`.split(
    /\s+/,
  ),
)

/** True for an everyday given name in lower case. */
export function isGivenName(word: string): boolean {
  return GIVEN_NAMES.has(word)
}

/** True for a noun that names what a person does or is to another. */
export function isRole(noun: string): boolean {
  return typeOfNoun(noun) === 'person'
}
