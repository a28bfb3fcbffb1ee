from wiki.cli.main import main

main()
