"""The small words a text cannot do without, by language: what tells languages of the Latin script apart.

Lower case, without words of one letter. Some stand in several languages; that is why a language is told by counting.
After a change raise ``PASSAGE_VERSION`` and ``NOTE_VERSION``: what older indexes counted was told by the older lists.
"""

ENGLISH = frozenset(
    """the of and to in is that for it with as are was on by this be from at or not an which have has had you can were
    their its but they all been will would there if when one more other than into these how what who do does about your
    our should may we no so out up must where after before each only also""".split()
)
DISTINCT_ENGLISH = frozenset(
    """the of and that with this from which have has you your they their would should been were will when these than
    what who how there other are is""".split()
)
"""Those hardly any other language has."""

OTHERS: dict[str, tuple[str, str]] = {
    "af": ("Afrikaans", """die van en in is het wat vir nie met hulle om aan sy ek ons jy kan sal deur ook as maar was
        word hierdie daar wees moet baie hy nog uit wees"""),
    "ca": ("Catalan", """de la que el els les en un una per amb és no es al del dels com més ha va són han aquest aquesta
        però també pot ser fins entre sense quan només si aquests"""),
    "cs": ("Czech", """je se na že to za od do ve by jako ale jsou pro tak jeho při nebo není byl byla bylo jsem aby také
        který která které kdy jen jeho může musí pokud podle tento tato mezi ze než"""),
    "cy": ("Welsh", """yn yr ar ei oedd mae wedi ac ond gan fod eu hyn bod gyda am hefyd neu cael ym un nid sydd rhwng"""),
    "da": ("Danish", """og det at en den til er som på de med han af for ikke der var jeg et men har om vi havde fra skal
        kan være efter også blev eller hvis når ved mange mellem deres denne meget"""),
    "de": ("German", """der die und den das von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus
        er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum haben nur oder aber vor zur bis
        mehr durch man sein wurde wenn kann muss wir ich diese dieser keine unter"""),
    "eo": ("Esperanto", """la kaj de en estas ne al ke kun por ĝi oni pri tiu li ili mi sed el estis ĉi aŭ kiu kiel"""),
    "es": ("Spanish", """de la que el en los se del las un por con no una su para es al lo como más pero sus le ya este sí
        porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante todos uno ni
        contra otros ser son fue puede si"""),
    "et": ("Estonian", """ja on ei et see kui ka mis oli ta aga ning oma või välja kes siis seda ole nii olid mida pole
        veel sest kas mille peab saab tuleb"""),
    "eu": ("Basque", """eta da ez du dira bat izan zen ere egin dute baina duen hau edo dela den bere izango ditu baino
        beste hori arte"""),
    "fi": ("Finnish", """ja on ei että se oli hän kun ovat mutta tai myös joka sen kuin jos niin ole voi mukaan olla sitä
        jotka vain siitä mitä ollut hänen tämä tämän kanssa jossa sekä eivät nyt ennen voidaan ovat"""),
    "fr": ("French", """de la le et les des en un du une que est pour qui dans par plus pas au sur ne se ce il sont avec
        son aux cette ou mais ont comme nous vous été elle deux ses être fait sans tout leur même si peut entre dont
        lorsque ces cet"""),
    "ga": ("Irish", """an na ar agus is le bhí sé go ag tá ní sin do mar ach siad nach chun faoi seo air leis"""),
    "gl": ("Galician", """de que do da en os un unha con non se para por as dos no na ao máis como é das pero foi está son
        tamén este esta ou pode ser cando"""),
    "hr": ("Croatian", """je se na da za su od koji što kao ne to iz će ali bi koja ili do po sve biti samo još bio nije
        kako tako može ako kada nakon prema bez koje između ove ovaj"""),
    "hu": ("Hungarian", """az hogy nem is és egy ez de volt csak már még el meg van ha kell vagy mint azt aki mert lehet ki
        minden ezt után szerint között amely akkor nagyon ezek lesz sem majd vannak"""),
    "id": ("Indonesian", """yang dan di ini itu dengan untuk dari dalam tidak akan pada adalah ke juga oleh sebagai karena
        saya telah ada atau bisa dapat lebih mereka sudah tersebut kami seperti harus anda saat jika"""),
    "is": ("Icelandic", """og að er sem það hann við var ekki um með en til fyrir þegar hún eru því frá þetta hefur verið
        þess eða þeir vera"""),
    "it": ("Italian", """di che la il un in per una del non con sono da si della le dei gli come più al nel lo alla ma
        anche dal ha delle è questo questa essere tra se ai degli dalla nella può ed suo sua quando stato perché ogni"""),
    "lt": ("Lithuanian", """ir yra kad tai buvo su bet jis ne kaip dėl už apie nuo iki arba taip pat jų gali tik šis kurie
        prie po būti jei jau per"""),
    "lv": ("Latvian", """un ir ka no ar tas bija par lai vai bet viņš kas kā uz nav pie pēc arī šo ja tā var jau tikai tiek
        kur kad būs"""),
    "mt": ("Maltese", """li ta fil tal ma għal kien hija huwa minn jew dan din għandu kif ġie biex dawn"""),
    "nl": ("Dutch", """de van het een en in is dat op te zijn met voor niet aan er om hij als dan ook maar bij uit nog naar
        heeft wordt door over ze was kan worden deze dit hebben moet zich of geen tot wel veel werd meer tegen onder"""),
    "no": ("Norwegian", """og det som en på er av til med for ikke har den de at han om var et men seg fra ble jeg kan skal
        vi sier også etter når være eller ved hvis dette hun mot må"""),
    "pl": ("Polish", """nie się na to jest że do jak co za od po ale tak już dla jego przez czy być oraz tym był była było
        który która które są przy może tylko można lub jeśli przed ich tego jako"""),
    "pt": ("Portuguese", """de que do da em um para com não uma os no se na por mais as dos como mas ao das foi ele tem seu
        sua ou ser quando muito há nos já está também só pelo pela até isso ela entre era depois sem mesmo são pode"""),
    "ro": ("Romanian", """de în și să nu la cu care pe un din mai este se pentru fi că au ca sunt prin dar sau după fost
        această acest într lui ale cel cea poate când doar între fără lor iar"""),
    "sk": ("Slovak", """sa na je že to do pre za nie od ako ale som bol bola bolo tak aj sú pri ktorý ktorá ktoré podľa už
        alebo len keď ich jeho môže aby medzi tento táto musí"""),
    "sl": ("Slovenian", """je in se na za da so pa ki ne od kot bi ali po tudi ni lahko ter bil bilo bila kako pri samo
        iz pred med biti če ima več"""),
    "sq": ("Albanian", """të në dhe për një me që se më nga është ka si por do ai nuk kjo janë këtë ishte edhe mund tij
        duke kur ose pas"""),
    "sv": ("Swedish", """och att det som en på är av för med till den har de inte om ett han men var jag från vi så kan när
        eller efter ska vid hon sig under också blev bara finns skall måste mellan denna dessa hur"""),
    "sw": ("Swahili", """na ya wa kwa ni katika za la kuwa cha yake au hii kama pia hiyo huu baada lakini wake watu ili
        hadi kila"""),
    "tl": ("Filipino", """ang ng sa mga na ay at si ito para hindi ko siya may nang kung mo niya kanyang isang upang dahil
        bilang"""),
    "tr": ("Turkish", """ve bir bu için ile da de olarak daha çok en gibi ne olan kadar sonra var her ama değil ki veya
        ancak göre olduğu ise mi ya tarafından oldu olduğunu kendi iki bunu ilk içinde şekilde nasıl"""),
    "vi": ("Vietnamese", """và của là các có được cho trong một không những với người để khi này đã từ cũng như đến về
        tại hay nhiều sẽ ra vào trên theo việc nhưng phải thì bị"""),
}  # fmt: skip
"""Tag of BCP 47 -> English name and words."""
