"""Writes the examples that no person types by hand: PDF, DOCX, XLSX, CSV and mail.

Run ``python examples/.make_examples.py``. It gives the same bytes each time. Its name starts with a dot so that
``wiki add examples`` doesn't take it for a document.
"""

import random
import re
import zipfile
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from io import BytesIO
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MADE_ON = datetime(2026, 2, 16, 9, 0, 0)
ZIP_DATE = (2026, 2, 16, 9, 0, 0)

MANUAL: list[tuple[str, Any]] = [
    ("h1", "Safety"),
    ("p", "The pump starts without warning when the float rises. Pull the plug and wait until the motor has stopped before "
     "you reach into the pit or open the housing. A capacitor keeps its charge for about a minute."),
    ("p", "Never lift the pump by its cable. Use the eye on the motor cover and a rope that carries at least 60 kg. Two people "
     "lift it out of pits deeper than 1.5 m."),
    ("p", "The water of a cellar pit can carry germs. Wear gloves, and rinse the pump with clear water before it goes on the "
     "bench."),
    ("h1", "What the pump is made for"),
    ("p", "The LP 40 lifts rain and seepage water out of pits and light wells. It passes grains up to 8 mm. It is not made for "
     "sewage, for salt water or for liquids above 50 degrees: the shaft seal would fail within weeks."),
    ("table", [["Quantity", "LP 40", "LP 40 H"], ["Motor power", "0.55 kW", "0.75 kW"], ["Speed", "2,850 rpm", "2,850 rpm"],
               ["Greatest lift", "8.5 m", "11 m"], ["Flow at 3 m", "9.6 m3/h", "12.4 m3/h"],
               ["Smallest pit", "40 x 40 cm", "45 x 45 cm"], ["Mass", "13.2 kg", "15.8 kg"]]),
    ("h1", "Installation"),
    ("h2", "The pit"),
    ("p", "Put the pump on a firm, level floor. Sand and loose gravel wander into the inlet, so lay a concrete slab or a stone "
     "plate first. The float needs 20 cm of free space on all sides; a float that hangs on the wall is the most common cause "
     "of a wet cellar."),
    ("h2", "The pressure pipe"),
    ("p", "Use a pipe of at least 40 mm inside. Lead it over the level of the street and fit the check valve 50 cm above the "
     "pump. Drill a vent hole of 4 mm below the valve, or the pump will turn in an air bubble and lift nothing."),
    ("h2", "Electrical connection"),
    ("p", "The socket must be guarded by a residual current breaker of 30 mA and lie above the highest water level. The motor "
     "takes 3.6 A and for a moment six times as much when it starts."),
    ("h1", "Maintenance"),
    ("p", "Inspect the pump twice a year, before the autumn rain and after the thaw. The work takes an hour. Write the date and "
     "the current into the table on the inside of the pit cover."),
    ("table", [["Part", "Check", "Limit", "Interval"], ["Inlet sieve", "clean", "-", "6 months"],
               ["Impeller", "wear at the blade tip", "2 mm", "12 months"], ["Shaft seal", "oil in the chamber", "clear, not milky", "12 months"],
               ["Ball bearing", "noise and play", "0.1 mm", "24 months"], ["Cable", "cuts, swelling", "none", "6 months"],
               ["Float", "switches at", "38 cm on, 12 cm off", "6 months"]]),
    ("h2", "Changing the shaft seal"),
    ("p", "Unscrew the four bolts of the housing and take off the impeller with the puller LP-T3; a screwdriver breaks the blades. "
     "Drain the oil. If it is milky, water has passed the seal."),
    ("p", "Press the old seal out from the motor side. Clean the seat with a cloth, not with sandpaper. Wet the new seal with soapy "
     "water and push it in by hand with the spring towards the impeller. Its faces must not be touched: the grease of a finger is "
     "enough to make them leak."),
    ("p", "Fill in 180 ml of white oil, close the housing and tighten the bolts crosswise with 9 Nm. Turn the shaft by hand. It "
     "must move freely and without scraping."),
    ("h2", "Setting the gap of the impeller"),
    ("p", "The gap between the impeller and the wear plate decides the flow. Measure it with a feeler gauge at three places. Take "
     "out shims until it lies between 0.3 and 0.5 mm. At 1 mm the pump loses a quarter of its flow, and the motor gets warm."),
    ("h1", "Faults and remedies"),
    ("table", [["What you see", "Cause", "Remedy"], ["Motor hums, does not turn", "Impeller blocked or capacitor dead", "Clear the inlet; measure the capacitor: 16 uF"],
               ["Turns but lifts nothing", "Air below the check valve", "Drill or clean the vent hole"],
               ["Does not stop", "Float caught, valve leaks", "Free the float; clean the valve seat"],
               ["Trips the breaker", "Water in the motor", "Dry and measure: at least 2 MOhm"],
               ["Loud rattle", "Bearing worn", "Change both bearings, 6203-2RS"]]),
    ("p", "When the breaker trips a second time, take the pump out of service. Water in the winding can't be dried for good, and "
     "the next owner of the fault is the person who touches the wet wall."),
    ("h1", "Spare parts and warranty"),
    ("p", "We keep all parts of the LP 40 for ten years after the last pump was sold. Order by the number on the plate. The "
     "warranty is three years for private use and one year for hire. Seals and bearings wear; they are covered only when they "
     "fail within six months."),
    ("p", "Send a pump only after a call to the workshop. Most of the pumps that reach us need nothing but a clean sieve, and the "
     "answer on the phone costs nothing."),
]  # fmt: skip

LEASE: list[tuple[str, str]] = [
    ("t", "Lease of the workshop at Mill Quay 7"),
    ("p", "Between the Mill Quay Housing Cooperative, called the landlord, and Lindqvist Pumps, called the tenant, the following "
     "is agreed. The annexes are part of this contract."),
    ("1", "Premises and use"),
    ("p", "The landlord lets to the tenant the hall on the ground floor with 640 square metres, the two offices above it and six "
     "parking spaces in the yard. The rooms are let as a workshop for the making and repair of pumps. Any other use needs the "
     "written consent of the landlord, which may be refused only for good cause."),
    ("p", "The tenant has examined the premises and takes them over as they are. The defects listed in annex 2 are to be mended by "
     "the landlord within three months."),
    ("1", "Term and notice"),
    ("p", "The lease begins on 1 April 2026 and runs for five years. It is prolonged by one year at a time unless a party gives "
     "notice in writing six months before its end."),
    ("p", "Either party may give notice without a period when the other party, despite a written warning, breaks an essential duty. "
     "Arrears of two monthly rents are such a breach."),
    ("1", "Rent and service charges"),
    ("2", "Rent"),
    ("p", "The monthly rent is 5,120 and is due on the third working day of the month. It follows the consumer price index: when the "
     "index has moved by more than five percent since the last change, either party may ask for the rent to be adapted in the same "
     "proportion."),
    ("2", "Service charges"),
    ("p", "The tenant pays an advance of 890 a month for heating, water, waste and the care of the yard. The landlord renders an "
     "account by the end of September of the following year. Objections must be raised within twelve weeks, and the vouchers may be "
     "inspected at the landlord's office."),
    ("2", "Deposit"),
    ("p", "The deposit is three monthly rents. It may be given as a bank guarantee and is to be returned six months after the end of "
     "the lease, less claims that are due."),
    ("1", "Repairs and alterations"),
    ("p", "The landlord keeps the roof, the outer walls and the load-bearing parts in repair. The tenant keeps the inside in repair, "
     "including doors, windows and installations, up to 400 in a single case and 2,000 in a year."),
    ("p", "Alterations of the building need written consent. The consent to the solar plant on the south roof is given in annex 3. The "
     "plant remains the tenant's property; at the end of the lease the landlord may take it over at its book value or ask for its "
     "removal."),
    ("1", "Liability and insurance"),
    ("p", "Each party is liable for intent and gross negligence without limit, and for slight negligence only when an essential duty "
     "is broken and only for the damage that is typical of this kind of contract. This does not limit the liability for injury to "
     "life, body or health."),
    ("p", "The tenant insures business contents, glass and third-party liability with at least three million for each event, and shows "
     "the policy each January."),
    ("1", "Access and keys"),
    ("p", "The landlord may enter the premises after notice of three working days, and at any time when danger threatens. The tenant "
     "receives twelve keys. Lost keys are to be reported at once, and the tenant bears the cost of changing the locks when misuse "
     "can't be excluded."),
    ("1", "Return of the premises"),
    ("p", "At the end of the lease the premises are to be returned cleared and swept. Oil on the floor is to be removed down to the "
     "bare concrete. Fixtures that the tenant has put in are to be taken out unless the parties agree otherwise."),
    ("1", "Final clauses"),
    ("p", "Changes of this contract must be made in writing; this applies to this clause too. If a clause is void, the others stay in "
     "force, and the parties replace it with one that comes nearest to its purpose. The courts at the landlord's seat have "
     "jurisdiction."),
]  # fmt: skip

INCIDENT = """
<h1>What happened on Monday, and what we change</h1>
<p>Dear all,</p>
<p>on Monday an attacker got into one of our mailboxes. Nothing was stolen from customers and no money left the house, but it
was close. You should know the whole story, so that you recognise the next attempt.</p>
<h2>What happened</h2>
<p>At 08:12 a colleague in the sales team received a mail that seemed to come from a shipping company. It asked her to confirm
a delivery address. The link led to a page that looked like our own login. She typed her password, the page said that the
parcel was on its way, and she went on with her day.</p>
<p>At 08:40 somebody logged in to her mailbox from a rented server abroad. They set up a rule that moved every mail with the
word invoice into a hidden folder, and read the threads with our three largest suppliers. At 13:05 they answered one of these
threads, under her name, and asked the supplier to send the next payment to a new account.</p>
<h2>How it was found</h2>
<p>The supplier's bookkeeper telephoned. She wondered why we would give her an account at all, as it is we who pay. That call
is the reason why this mail is a lesson and not a damage report. At 13:30 we locked the mailbox, ended all its sessions and
removed the rule. The log shows 212 mails that were opened; the people named in them have been told.</p>
<h2>What we have done</h2>
<ul>
<li>All passwords of the sales team were reset, and all of their open sessions were ended.</li>
<li>The second factor is now required for everybody, on every login from outside the house.</li>
<li>Rules that hide or forward mail raise an alarm with the person on duty.</li>
<li>The false login page was reported and was taken down on Tuesday morning.</li>
</ul>
<h2>What we ask of you</h2>
<h3>Before you type a password</h3>
<p>Look at the address in the browser, not at the page. Our login has one address only, and the password manager fills in the
password only there. If it offers nothing, that is your warning: stop and ask.</p>
<h3>When an account number changes</h3>
<p>A new account is confirmed by telephone, with a number that we had before, by two people. This holds when the request comes
from the managing director, too, and above all when it is urgent.</p>
<h3>When you have clicked</h3>
<p>Call the duty phone at once. Nobody will be blamed for a click. What costs us dearly is the hour in which nobody knows of
it. Our colleague did everything right from the moment she understood, and she has agreed that I may tell the story.</p>
<h2>What comes next</h2>
<p>In March everybody gets a small key of plastic that replaces the codes on the telephone. Such a key can't be fooled by a
false page. There will be half an hour of training in each team, with real examples from our own spam folder. The old mail
protocol that knows no second factor is switched off on the first of April; if your scanner sends mails, tell me by then.</p>
<p>Thank you for reading this to the end.</p>
<p>Ayo, for the platform team</p>
"""


def make_pdf(path: Path) -> None:
    from reportlab.lib import colors
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

    styles = getSampleStyleSheet()
    styles["BodyText"].fontSize, styles["BodyText"].leading = 11, 15
    styles["Heading1"].fontSize, styles["Heading1"].spaceBefore = 18, 18
    grid = TableStyle(
        [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey)]
    )

    class Manual(SimpleDocTemplate):
        def afterFlowable(self, flowable: Flowable) -> None:
            style = getattr(getattr(flowable, "style", None), "name", "")
            if isinstance(flowable, Paragraph) and style in ("Heading1", "Heading2"):
                text = flowable.getPlainText()
                self.canv.bookmarkPage(text)
                self.canv.addOutlineEntry(text, text, level=0 if style == "Heading1" else 1)

    story: list[Flowable] = [Paragraph("Service manual of the cellar pump LP 40", styles["Title"]), Spacer(1, 12)]
    for kind, content in MANUAL:
        if kind == "table":
            cells = [[Paragraph(cell, styles["BodyText"]) for cell in row] for row in content]
            story += [Table(cells, style=grid, hAlign="LEFT", repeatRows=1), Spacer(1, 10)]
        else:
            style = {"h1": "Heading1", "h2": "Heading2", "p": "BodyText"}[kind]
            story.append(Paragraph(content, styles[style]))
    Manual(
        str(path), pagesize=A4, invariant=1, title="Service manual of the cellar pump LP 40", author="Lindqvist Pumps"
    ).build(story)


def make_docx(path: Path) -> None:
    from docx import Document

    document = Document()
    properties = document.core_properties
    properties.title, properties.author = LEASE[0][1], "Mill Quay Housing Cooperative"
    properties.created = properties.modified = MADE_ON
    for kind, text in LEASE:
        if kind == "p":
            document.add_paragraph(text)
        else:
            document.add_heading(text, 0 if kind == "t" else int(kind))
    document.add_heading("Annexes", 1)
    table = document.add_table(1, 3, "Table Grid")
    for cell, text in zip(table.rows[0].cells, ("No.", "Annex", "Pages"), strict=True):
        cell.text = text
    for row in (
        ("1", "Plans of the hall and the yard", "4"),
        ("2", "Record of defects", "2"),
        ("3", "Solar plant", "3"),
    ):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.save(str(path))
    _settle(path)


def make_xlsx(path: Path) -> None:
    from openpyxl import Workbook

    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    plan = {
        "Sales of pumps": [61, 58, 66, 72, 75, 70, 64, 52, 81, 92, 88, 69],
        "Repairs and spare parts": [18, 17, 21, 20, 19, 18, 16, 15, 24, 29, 27, 22],
        "Wages": [-38, -38, -38, -39, -39, -39, -39, -39, -39, -39, -39, -51],
        "Material": [-22, -21, -24, -26, -27, -25, -23, -19, -29, -33, -32, -25],
        "Rent and energy": [-9, -9, -8, -8, -7, -7, -7, -7, -7, -8, -8, -9],
        "Loan for the solar plant": [0, 0, 0, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5, -0.5],
    }
    book = Workbook()
    sheet = book.active
    sheet.title = "Budget 2026"
    sheet.append(["In thousands", *months, "Year"])
    for name, values in plan.items():
        sheet.append([name, *values, sum(values)])
    sums = [sum(values[month] for values in plan.values()) for month in range(12)]
    sheet.append(["Result", *sums, sum(sums)])

    notes = book.create_sheet("Assumptions")
    notes.append(["Item", "Assumption", "Risk", "Owner"])
    for row in (
        (
            "Sales of pumps",
            "Four percent more than last year; the autumn is strong because cellars get wet.",
            "A dry autumn costs up to 40 thousand.",
            "Mira",
        ),
        (
            "Repairs and spare parts",
            "The hourly rate rises from 68 to 72 in March.",
            "Two hire companies may mend their pumps themselves.",
            "Tomas",
        ),
        (
            "Wages",
            "One apprentice from April, a rise of two percent in December and the yearly bonus.",
            "None known.",
            "Pia",
        ),
        (
            "Material",
            "Cast iron at 1.90 a kilogram until June, then 2.05.",
            "Each ten cents cost 6 thousand a year.",
            "Jonas",
        ),
        (
            "Rent and energy",
            "The new lease from April; the solar plant saves half of the electricity from May.",
            "The plant comes late: 1 thousand a month.",
            "Jonas",
        ),
        ("Interest", "3.1 percent for eight years, fixed.", "None.", "Pia"),
        (
            "Taxes",
            "Paid on the profit of last year in four parts.",
            "A back payment of 5 thousand is possible.",
            "Jonas",
        ),
    ):
        notes.append(row)

    invoices = book.create_sheet("Open invoices")
    invoices.append(["Number", "Customer", "Amount", "Due", "Reminder"])
    rng = random.Random(40)
    customers = (
        "Waterworks North",
        "Garden Centre Alm",
        "Hire & Dry",
        "Parish of St. Olaf",
        "Brauer Hotels",
        "Harbour Office",
    )
    for number in range(1, 61):
        due = f"2026-{rng.randint(1, 4):02}-{rng.randint(1, 28):02}"
        amount = round(rng.uniform(80, 4200), 2)
        invoices.append(
            [f"R-2026-{number:03}", rng.choice(customers), amount, due, rng.choice(("", "", "first", "second"))]
        )
    book.properties.creator = "Lindqvist Pumps"
    book.properties.title = "Budget of Lindqvist Pumps for 2026"
    book.properties.created = MADE_ON
    book.save(path)
    _settle(path)


def make_csv(path: Path) -> None:
    rng = random.Random(7)
    varieties = {
        "Ashmead": "late, keeps until March, russet skin", "Boskoop": "sour, for cakes and juice", "Cox": "needs a dry site, scab in wet years",
        "Discovery": "earliest, eat within two weeks", "Elstar": "sweet and sharp, bears every second year", "Gravenstein": "for sauce, drops when ripe",
        "Holstein": "strong tree, large fruit", "Jonagold": "large crops, thin in June", "Santana": "resists scab", "Topaz": "stores well, sharp taste",
    }  # fmt: skip
    lines = ["tree,row,variety,planted,rootstock,harvest 2025 kg,picked,notes"]
    for number in range(1, 161):
        variety = sorted(varieties)[number * len(varieties) // 161]
        planted = 2004 + rng.randint(0, 15)
        day = f"2025-{rng.randint(8, 10):02}-{rng.randint(1, 28):02}"
        note = rng.choice(
            (
                varieties[variety],
                "",
                "canker on the trunk; cut out in February",
                "voles; guard put in",
                "grafted anew",
                "",
            )
        )
        stock = rng.choice(("M9", "M26", "MM106"))
        lines.append(
            f'T{number:03},{(number - 1) // 16 + 1},{variety},{planted},{stock},{rng.uniform(12, 96):.1f},{day},"{note}"'
        )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def make_mail(path: Path) -> None:
    message = EmailMessage(policy=SMTP)
    message["From"] = "Ayo Bankole <ayo@lindqvist-pumps.example>"
    message["To"] = "Everybody <all@lindqvist-pumps.example>"
    message["Subject"] = "The stolen password: what happened and what changes"
    message["Date"] = "Thu, 12 Feb 2026 16:20:00 +0100"
    message["Message-ID"] = "<20260212-incident-4@lindqvist-pumps.example>"
    message.set_content(INCIDENT.strip() + "\n", subtype="html", cte="quoted-printable")
    path.write_bytes(message.as_bytes())


def _settle(path: Path) -> None:
    """Rewrites an Office file with fixed dates, so that it is the same each time."""
    result = BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                data = re.sub(rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2026-02-16T09:00:00Z", data)
            entry = zipfile.ZipInfo(name, ZIP_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(entry, data)
    path.write_bytes(result.getvalue())


def make_examples(folder: Path) -> None:
    """All five files into ``folder``."""
    make_pdf(folder / "cellar-pump-manual.pdf")
    make_docx(folder / "workshop-lease.docx")
    make_xlsx(folder / "budget-2026.xlsx")
    make_csv(folder / "orchard-harvest.csv")
    make_mail(folder / "stolen-password.eml")


if __name__ == "__main__":
    make_examples(HERE)
